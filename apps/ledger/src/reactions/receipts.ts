import { type Books, erasureStream, receiptStream } from '@causeway/booking';
import { erasureFacts, type ErasureEvent, type ReceiptEvent, type SourceErased } from '@causeway/domain/ledger';
import { signedReceipt, type SigningKey } from '@causeway/erasure-receipts';
import type { Metadata, Recorded, Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { v7 as uuid } from 'uuid';

/** Told once: the event is the one that opens its stream. */
export const recordSourceErased = async (
  { store }: Pick<Books, 'store'>,
  data: SourceErased,
  metadata: Metadata,
): Promise<void> => {
  await store.append<ReceiptEvent>({
    stream: receiptStream(data.connectionId),
    expected: 'no-stream',
    events: [{ id: uuid(), type: 'SourceErased', data }],
    metadata,
    dataKey: null,
  });
};

export type Receipts = Books &
  Readonly<{
    key: SigningKey;
    now: () => string;
    /** Whether no table of a read model holds a row of the connection any more. */
    isGone: (connectionId: string) => Promise<boolean>;
  }>;

const erasedDays = async ({ pool }: Books, connectionId: string): Promise<number> => {
  const sql = 'SELECT days FROM ledger.erased_days WHERE connection_id = $1';
  const { rows } = await pool.query<{ days: number }>(sql, [connectionId]);
  return rows[0]?.days ?? 0;
};

/**
 * The last step of an erasure: says what was destroyed, once nothing is left. False: something may be. Where the
 * connections service has not told of its part, nothing is said, and there is more to do when it has.
 */
export const issueReceipt = async (receipts: Receipts, connectionId: string): Promise<boolean> => {
  const { store, key, now, isGone } = receipts;
  const stream = receiptStream(connectionId);
  const [source, issued] = await store.readStream<ReceiptEvent>(stream);
  if (source?.type !== 'SourceErased' || issued !== undefined) return true;
  if (!(await isGone(connectionId))) return false;
  const erased = await store.readStream<ErasureEvent>(erasureStream(connectionId));
  const balances = await erasedDays(receipts, connectionId);
  const facts = erasureFacts(erased, source.data, { balances, completedAt: now() });
  await store.append<ReceiptEvent>({
    ...{ stream, expected: source.revision, dataKey: null },
    events: [{ id: uuid(), type: 'ReceiptIssued', data: signedReceipt(facts, key) }],
    metadata: causedBy(source),
  });
  return true;
};

const causedBy = ({ id, metadata }: Recorded): Metadata => ({ ...metadata, causationId: id });

type Told = Sequenced<ErasureEvent | ReceiptEvent>;

export const concernsErasure = ({ type }: Sequenced): boolean =>
  ['ConnectionErased', 'SourceErased', 'ReceiptIssued'].includes(type);

/** Keeps the list of erasures to what the events say. */
export const takeErasures = async (tx: PoolClient, events: readonly Sequenced[]): Promise<void> => {
  for (const { type, data } of events as readonly Told[]) {
    if (type === 'ConnectionErased') await upsert(tx, data.connectionId, { requestedAt: data.erasedAt });
    if (type === 'SourceErased') {
      const { connectionId, deletedAt: requestedAt, keyDestroyedAt } = data;
      await upsert(tx, connectionId, { requestedAt, keyDestroyedAt });
    }
    if (type === 'ReceiptIssued') await upsert(tx, data.connectionId, { ...data, receipt: JSON.stringify(data) });
  }
};

type Known = Readonly<{ requestedAt: string; keyDestroyedAt?: string; receipt?: string }>;

const upsert = async (tx: PoolClient, connectionId: string, known: Known): Promise<void> => {
  const { requestedAt, keyDestroyedAt = null, receipt = null } = known;
  await tx.query(
    `INSERT INTO ledger.erasure (connection_id, requested_at, key_destroyed_at, receipt) VALUES ($1, $2, $3, $4)
     ON CONFLICT (connection_id) DO UPDATE SET requested_at = excluded.requested_at,
       key_destroyed_at = excluded.key_destroyed_at, receipt = excluded.receipt`,
    [connectionId, requestedAt, keyDestroyedAt, receipt],
  );
};
