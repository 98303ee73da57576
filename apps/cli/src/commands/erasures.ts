import type { ErasureReceipt } from '@causeway/domain/ledger';
import { isGenuine, publicKeyOf } from '@causeway/erasure-receipts';
import type { Pool } from '@causeway/postgres';
import { InvalidArgumentError, type Command } from 'commander';
import { createPublicKey } from 'node:crypto';
import { print, printJson, type Json } from '../print.ts';
import { keysAt, onDatabase, systemAddress } from '../running-system.ts';

/** Of an erasure that is not complete, what is known of it. */
type Begun = Readonly<{
  connectionId: string;
  requestedAt: string;
  keyDestroyedAt: string | null;
  completedAt: null;
  rows: null;
  keyId: null;
  signature: null;
}>;
type Erasure = ErasureReceipt | Begun;

type Row = Pick<Begun, 'connectionId' | 'requestedAt' | 'keyDestroyedAt'> &
  Readonly<{ receipt: ErasureReceipt | null }>;

const sql = `SELECT connection_id AS "connectionId", requested_at AS "requestedAt", key_destroyed_at AS "keyDestroyedAt",
                    receipt FROM ledger.erasure`;

const erasureOf = ({ receipt, ...begun }: Row): Erasure =>
  receipt ?? { ...begun, completedAt: null, rows: null, keyId: null, signature: null };

const inLedger = <T>(work: (pool: Pool) => Promise<T>): Promise<T> => onDatabase(systemAddress(process.env), work);

const receiptKeys = () => keysAt(process.env, 'CAUSEWAY_RECEIPT_KEYS');

const summary = (erasure: Erasure): string => {
  const { connectionId, requestedAt } = erasure;
  if (erasure.completedAt === null) return `${connectionId}  requested ${requestedAt}  not complete`;
  const { accounts, transactions, balances, events } = erasure.rows;
  const rows = `${accounts} accounts, ${transactions} transactions, ${balances} balances, ${events} events`;
  return `${connectionId}  requested ${requestedAt}  complete ${erasure.completedAt}  ${rows}`;
};

const list = async ({ json }: Json): Promise<void> => {
  const { rows } = await inLedger((pool) => pool.query<Row>(`${sql} ORDER BY requested_at, connection_id`));
  const erasures = rows.map(erasureOf);
  if (json === true) return printJson(erasures);
  for (const erasure of erasures) print(summary(erasure));
  if (erasures.length === 0) print('nothing was erased');
};

/** There is nothing to verify yet of one that is not complete. */
const verdictOn = (erasure: Erasure): boolean | null =>
  erasure.completedAt === null ? null : isGenuine(erasure, receiptKeys());

const show = async (connectionId: string, { json }: Json): Promise<void> => {
  const { rows } = await inLedger((pool) => pool.query<Row>(`${sql} WHERE connection_id = $1`, [connectionId]));
  if (rows[0] === undefined) throw new Error(`connection ${connectionId} was not erased`);
  const erasure = erasureOf(rows[0]);
  const verified = verdictOn(erasure);
  if (json === true) printJson({ ...erasure, verified });
  else {
    print(summary(erasure));
    if (erasure.completedAt !== null) {
      print(`data key destroyed ${erasure.keyDestroyedAt}`);
      print(`signed by ${erasure.keyId}: ${erasure.signature}`);
    }
  }
  if (verified === false)
    throw new Error(`the receipt of ${connectionId} does not verify under any key that is listed`);
  if (verified === true && json !== true) print('The signature is good.');
};

const key = ({ json }: Json): void => {
  const keys = receiptKeys().map(publicKeyOf);
  if (json === true) return printJson({ keys });
  for (const one of keys) {
    print(one.kid);
    const pem = createPublicKey({ key: { ...one }, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    print(String(pem).trimEnd());
  }
};

const uuid = (text: string): string => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('The id of a connection is a UUID.');
};

export const erasuresCommands = (program: Command): void => {
  const erasures = program.command('erasures').description('What was destroyed of deleted connections');
  const add = (name: string, description: string): Command =>
    erasures.command(name).description(description).option('--json', 'print JSON');
  add('list', 'List the receipts, oldest first, and what is not complete').action(list);
  add('show', 'Show a receipt and verify it').argument('<connection-id>', 'the deleted connection', uuid).action(show);
  add('key', 'Print the public keys of receipts, the one in use first').action(key);
};
