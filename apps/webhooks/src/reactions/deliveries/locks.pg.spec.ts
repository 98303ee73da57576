import { eventually } from '@causeway/messaging/testing';
import { inTransaction } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { causes, createdAt, deliveryRig, scope } from '../../../testing/rig.ts';
import { notify } from './notify.ts';
import { record, type Result } from './results.ts';

describeWithPostgres('who changes several endpoints', () => {
  const { pool, endpoint } = deliveryRig();

  const failed = (endpointId: string): Result => ({
    claimed: {
      ...{ deliveryId: 0, attempt: 1, attemptsBefore: 0, endpointId, ...scope, slow: false, url: '', host: '' },
      ...{ sealedSecret: Buffer.alloc(0), oldSecrets: [], notificationId: 'evt_a', body: '', claimedAtMs: 0 },
    },
    outcome: { kind: 'failed', error: 'timeout' },
    step: { kind: 'retry', inMs: 1000 },
    durationMs: 10,
  });
  const told = { ...scope, ...causes, id: 'evt_b', type: 'test', createdAt, data: {}, subject: 'c-1' };
  const tellBoth = () => notify(pool(), told);

  test.each([
    ['recording ends', (ids: readonly string[]) => record(pool(), ids.map(failed))],
    ['telling of something', tellBoth],
  ])('%s locks them in the order of their ids', async (_, change) => {
    const [low = '', high = ''] = [await endpoint('ok'), await endpoint('ok')].sort();
    const touch = (id: string) => [`UPDATE webhooks.endpoint SET room = 4 WHERE id = $1`, [id]] as const;
    // In the table, and in what is asked for, the later one comes first.
    await pool().query(touch(low)[0], [low]);
    const begun = await inTransaction(pool(), async (tx) => {
      await tx.query(touch(low)[0], [low]);
      const waiting = change([high, low]);
      await eventually(async () => {
        const { rows } = await pool().query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rows).toHaveLength(1);
      });
      await tx.query(touch(high)[0], [high]);
      return { waiting };
    });
    await expect(begun.waiting).resolves.toBeDefined();
  });
});
