/**
 * The baseline of the reads: node:http and pg by hand, the same SELECT as row objects, JSON.stringify; no credentials,
 * no validation, no log. `GET /list?d=&k0=&k1=` is a page of a list, `GET /sync?k0=&k1=` a page of the feed.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const [databaseUrl = '', organization = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16, options: '-c TimeZone=UTC' });
for (const type of [pg.types.builtins.DATE, pg.types.builtins.TIMESTAMPTZ]) pg.types.setTypeParser(type, String);

const micros = (column: string): string => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const columns = `id, "connectionId", "accountId", status, "postedDate", ${micros('"updatedAt"')} AS "updatedAt",
  amount::text AS amount, currency, "entryType", description, rail, "rawDescription", "customerReference",
  "bankReference", "baiCode", category, subcategory, mcc, "merchantName", "counterpartyName",
  "counterpartyAccountMasked"`;
const mine = `FROM raw.transactions WHERE organization = $1 AND environment = 'test'`;

const listText = `SELECT ${columns}, sort_date::text AS k0 ${mine} AND sort_date < $2::date AND NOT removed
  AND (sort_date, id) < ($3::date, $4::uuid) ORDER BY sort_date DESC, id DESC LIMIT 101`;
const syncText = `SELECT ${columns}, event_id, removed, ${micros('added_at')} AS added ${mine}
  AND ("updatedAt", id) > ($2::timestamptz, $3::uuid) ORDER BY raw.transactions."updatedAt", id LIMIT 501`;

type Row = Readonly<Record<string, string>>;

const list = async (url: URL): Promise<object> => {
  const { d, k0, k1 } = Object.fromEntries(url.searchParams);
  const { rows } = await pool.query<Row>({ name: 'list', text: listText, values: [organization, d, k0, k1] });
  const data = rows.slice(0, 100).map(({ k0: _, ...row }) => row);
  const nextCursor = rows.length > 100 ? `${rows[99]?.['k0']},${rows[99]?.['id']}` : null;
  return { data, pagination: { hasMore: rows.length > 100, nextCursor }, meta: { requestId: '1' } };
};

const sync = async (url: URL): Promise<object> => {
  const { k0 = '', k1 = '' } = Object.fromEntries(url.searchParams);
  const { rows } = await pool.query<Row>({ name: 'sync', text: syncText, values: [organization, k0, k1] });
  const events = rows.slice(0, 500).map(({ event_id: eventId, removed, added = '', ...transaction }) => {
    const type = removed ? 'removed' : added > k0 ? 'added' : 'modified';
    return { eventId, eventAt: transaction['updatedAt'], type, transaction };
  });
  const last = events.at(-1)?.transaction;
  const nextCursor = last === undefined ? `${k0}&k1=${k1}` : `${last['updatedAt']}&k1=${last['id']}`;
  return { events, nextCursor, hasMore: rows.length > 500, meta: { requestId: '1' } };
};

const answer = (response: ServerResponse, status: number, body: string): void => {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
};

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://raw');
  (url.pathname === '/list' ? list(url) : sync(url)).then(
    (body) => answer(response, 200, JSON.stringify(body)),
    (error: Error) => answer(response, 500, error.message),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
