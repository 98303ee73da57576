/** The baseline of transfers: node:http and one INSERT of the same row; no credentials, no rules, no events, no bank. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import pg from 'pg';

const [databaseUrl = '', table = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 });

type Body = Readonly<{
  type: string;
  transferType: string;
  amount: Readonly<{ currency: string; value: string }>;
  sourceAccountId: string;
  destination: Readonly<{ accountId?: string }>;
  clientReference: string;
}>;

const text = `INSERT INTO ${table} (organization, environment, id, status, transfer_type, requested_value, currency,
    connection_id, source_account_id, destination_account_id, payee, client_reference, created_at, updated_at)
  VALUES ('demo', 'test', $1, 'queued', $2, $3, $4, $5, $6, $7, $8, $9, now(), now())`;

const insert = async (body: Body): Promise<object> => {
  const id = randomUUID();
  const { transferType, amount, sourceAccountId: source, destination, clientReference } = body;
  const { accountId = null } = destination;
  const payee = accountId === null ? JSON.stringify(destination) : null;
  const paid = [transferType, amount.value, amount.currency, source, source, accountId, payee];
  await pool.query({ name: 'insert', text, values: [id, ...paid, clientReference] });
  return { id, status: 'queued', ...body };
};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    insert(JSON.parse(Buffer.concat(chunks).toString()) as Body).then(
      (row) => response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(row)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
