import type { AllStreamRecordedEvent } from '@eventstore/db-client';
import { surveyor } from './survey.ts';

const seen = (streamId: string, revision: number, metadata: object = {}, type = 'Happened'): AllStreamRecordedEvent =>
  ({ streamId, type, revision: BigInt(revision), metadata }) as AllStreamRecordedEvent;

const whose = { organization: 'acme', environment: 'test' };

test('counts streams and events by service, and names the data keys', () => {
  const { see, seen: all } = surveyor(/^acme\.([a-z]+)_events\./);
  see(seen('acme.ledger_events.ledger-1', 0, { dataKey: 'k1', ...whose }));
  see(seen('acme.ledger_events.ledger-1', 1, { dataKey: null }));
  see(seen('acme.ledger_events.ledger-2', 0, { dataKey: 'k1', ...whose }));
  see(seen('acme.gateway_events.api-key-1', 0));
  // Others' streams, and how the server tells that one is gone.
  see(seen('ledger_events.ledger-1', 0, { dataKey: 'k2' }));
  see(seen('acme.installation', 0));
  see(seen('acme.ledger_events.ledger-3', 7, {}, '$streamDeleted'));
  expect(all()).toEqual({
    services: [
      { service: 'gateway', streams: 1, events: 1 },
      { service: 'ledger', streams: 2, events: 3 },
    ],
    dataKeys: [{ id: 'k1', service: 'ledger', ...whose }],
  });
});
