import { migrate } from '@causeway/postgres';
import { required, secretsIn } from '@causeway/settings';
import { runService } from '../run-service.ts';

/** The smallest service there can be, as a process. */
await runService({
  name: 'small',
  healthPort: 0,
  config: (env) => ({
    databaseUrl: required(env, 'CAUSEWAY_DATABASE_URL'),
    masterKeys: secretsIn(env, 'CAUSEWAY_MASTER_KEY'),
    logLevel: 'info',
  }),
  migrate: ({ databaseUrl }) => migrate(databaseUrl, 'small', []),
  open: async (_, { bus }) => ({
    health: { ready: () => true, detail: () => ({}) },
    figures: async () => ({ events: 0, projections: [], walks: [] }),
    listen: () => bus.consume({ group: 'small', topics: [], events: new Map(), commands: new Map() }),
    retire: async () => undefined,
    close: async () => undefined,
  }),
});
