import { treeOf, type Effect, type ServiceAppend, type Trail } from './tree.ts';

const at = (n: number): string => `2026-03-01T10:00:${String(n).padStart(2, '0')}.000Z`;
type Told = readonly [id: string, type: string, data?: object];

const append = (service: string, stream: string, n: number, causationId: string, ...told: Told[]): ServiceAppend => ({
  ...{ service, stream: stream as `${string}-${string}`, at: at(n) },
  metadata: { correlationId: 'req-1', causationId, organization: 'demo', environment: 'test' },
  events: told.map(([id, type, data = {}]) => ({ id, type, data })),
});

/** `kind name #id`, what it led to in brackets. */
const written = ({ kind, name, id, effects }: Effect): string =>
  [kind, name, `#${id}`].filter((word) => word !== '').join(' ') +
  (effects.length === 0 ? '' : ` (${effects.map(written).join(', ')})`);

const tree = (appends: readonly ServiceAppend[], deliveries: Trail['deliveries'] = []): string =>
  written(treeOf({ correlationId: 'req-1', appends, deliveries }));

const queued = append('transfers', 'transfer-t', 1, 'cmd-1', ['e-1', 'TransferQueued']);
const requested = append('connections', 'connection-c', 1, 'cmd-1', ['e-1', 'SyncRequested', { runId: 'run' }]);
const fetched = append('connections', 'sync-run', 2, 'e-1', ['e-2', 'SyncFetched']);

test.each<[string, readonly ServiceAppend[], string]>([
  [
    'a command stands between its request and its event',
    [queued],
    'request #req-1 (command transfers #cmd-1 (event TransferQueued #e-1))',
  ],
  [
    'what a service began itself has no request',
    [append('connections', 'connection-c', 1, 'req-1', ['e-1', 'ConnectionPaused'])],
    'operation #req-1 (event ConnectionPaused #e-1)',
  ],
  [
    'a payment was asked of the bank by its reference',
    [queued, append('transfers', 'transfer-t', 2, 'e-1', ['e-2', 'TransferExecutionStarted', { attempt: 1 }])],
    'request #req-1 (command transfers #cmd-1 (event TransferQueued #e-1 (event TransferExecutionStarted #e-2 (bankCall pay #t.1))))',
  ],
  [
    'what a run brought came of the call that fetched it',
    [requested, fetched],
    'request #req-1 (command connections #cmd-1 (event SyncRequested #e-1 (bankCall fetch #run (event SyncFetched #e-2))))',
  ],
  [
    'an event reaches another service by one message, whatever it leads to there',
    [
      requested,
      fetched,
      append('ledger', 'ledger-a', 3, 'e-2', ['e-3', 'PageBooked']),
      append('ledger', 'ledger-b', 4, 'e-2', ['e-4', 'PageBooked']),
    ],
    'request #req-1 (command connections #cmd-1 (event SyncRequested #e-1 (bankCall fetch #run (event SyncFetched #e-2 ' +
      '(message connections → ledger #e-2 (event PageBooked #e-3, event PageBooked #e-4))))))',
  ],
  [
    'a large append is shown by the types of its events',
    [
      append(
        'ledger',
        'ledger-a',
        1,
        'cmd-1',
        ...Array.from({ length: 9 }, (_, n): Told => [`e-${n}`, n < 8 ? 'TransactionRecorded' : 'PageBooked']),
      ),
    ],
    'request #req-1 (command ledger #cmd-1 (event TransactionRecorded × 8 #e-0, event PageBooked #e-8))',
  ],
  [
    'effects stand in the order of their times, in whatever order they are found',
    [
      append('transfers', 'transfer-t', 3, 'e-1', ['e-3', 'TransferCompleted']),
      append('transfers', 'transfer-t', 2, 'e-1', ['e-2', 'TransferOutcomeLost']),
      queued,
    ],
    'request #req-1 (command transfers #cmd-1 (event TransferQueued #e-1 (event TransferOutcomeLost #e-2, event TransferCompleted #e-3)))',
  ],
])('%s', (_, appends, expected) => {
  expect(tree(appends)).toBe(expected);
});

test('a delivery is under the event that it tells of, with its attempts', () => {
  const attempts = [
    { at: at(3), statusCode: null, error: 'timeout' },
    { at: at(4), statusCode: 200, error: null },
    { at: at(5), statusCode: null, error: null },
  ];
  const delivery = { id: 'evt_1', type: 'test', eventId: 'e-1', webhookId: 'w', createdAt: at(2), attempts };
  const tested = append('webhooks', 'webhook-w', 1, 'cmd-1', ['e-1', 'WebhookTestQueued']);
  expect(tree([tested], [delivery])).toBe(
    'request #req-1 (command webhooks #cmd-1 (event WebhookTestQueued #e-1 (delivery test to w #evt_1 (attempt timeout ' +
      '#evt_1/w/1, attempt answered 200 #evt_1/w/2, attempt under way, or cut off #evt_1/w/3))))',
  );
});
