import type { KeptPage } from '@causeway/booking';
import { contextOfPart } from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import { connection, isKnown, type ConnectionEvent, type SyncRunEvent } from '@causeway/domain/connections';
import type { EventStore, Recorded, Revision } from '@causeway/event-sourcing';

type Part = Recorded<Extract<SyncRunEvent, { type: 'StatementReceived' }>>;

/** Half a megabyte each, and a third more as text. */
const batchEvents = 8;

/**
 * The runs of a connection, newest first, but for those of which the ledger may still book something for the first time:
 * these count for their run.
 */
const runsOf = async (store: EventStore, connectionId: string): Promise<readonly string[]> => {
  const history = await store.readStream<ConnectionEvent>(`connection-${connectionId}`);
  const state = history.reduce((before, event) => connection.evolve(before, event), connection.initial);
  if (!isKnown(state)) return [];
  const open = new Set([state.run?.runId, ...state.givenUp]);
  const runs = history.flatMap(({ type, data }) => (type === 'SyncRequested' ? [data.runId] : []));
  return runs.filter((runId) => !open.has(runId)).reverse();
};

/** The parts of a run that belong to whole pages, page by page. One that a crash cut off was fetched again under another number. */
const wholePages = async function* (store: EventStore, runId: string): AsyncGenerator<readonly Part[]> {
  let after: Revision | undefined;
  let parts: Part[] = [];
  for (;;) {
    const from = after === undefined ? {} : { after };
    const events = await store.readStream<SyncRunEvent>(`sync-${runId}`, { ...from, limit: batchEvents });
    for (const event of events) {
      if (event.type !== 'StatementReceived') continue;
      if (parts[0]?.data.page !== event.data.page) parts = [];
      parts.push(event);
      if (parts.length === event.data.parts) yield parts;
    }
    after = events.at(-1)?.revision;
    if (after === undefined) return;
  }
};

const opened = async (dataKeys: DataKeys, runId: string, parts: readonly Part[]): Promise<Buffer[] | undefined> => {
  const plain: Buffer[] = [];
  for (const { data } of parts) {
    const cipher = Buffer.from(data.cipher, 'base64');
    const part = await dataKeys.decrypt(data.connectionId, cipher, contextOfPart({ ...data, runId }));
    if (part === undefined) return undefined;
    plain.push(part);
  }
  return plain;
};

/** What the bank said to a connection, from the newest run to the oldest. Nothing of one whose data key was destroyed. */
export const keptPages = async function* (
  { store, dataKeys }: Readonly<{ store: EventStore; dataKeys: DataKeys }>,
  connectionId: string,
): AsyncGenerator<KeptPage> {
  for (const runId of await runsOf(store, connectionId)) {
    for await (const whole of wholePages(store, runId)) {
      const { data, metadata } = whole[0]!;
      const { organization, environment } = metadata;
      const parts = await opened(dataKeys, runId, whole);
      if (parts === undefined || organization === null || environment === null) return;
      const { accountId, entityId, currency, run, page, connector, bankDay } = data;
      const account = { accountId, connectionId, entityId, organization, environment, currency };
      yield { account, run, page, connector, bankDay, parts };
    }
  }
};
