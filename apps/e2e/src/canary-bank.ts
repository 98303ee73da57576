import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Canaries } from './canaries.ts';
import type { Json } from './client.ts';

export type BankAnswer = Readonly<{ status?: number; headers?: Record<string, string>; body: string | object }>;
type Fault = Readonly<{ path: RegExp; answer: (reference: string) => BankAnswer }>;

/** What a bank can be made to say once, in place of its answer to the next question of that path. */
export type CanaryBank = Readonly<{
  url: string;
  /** References of the payments that it has taken. */
  payments: readonly string[];
  sayOnce(path: RegExp, answer: BankAnswer | Fault['answer']): void;
  /** One more row, and another balance. */
  book(): void;
  close(): void;
}>;

const today = (): string => new Date().toISOString().slice(0, 10);

const rowOf = (words: Canaries, dateName: 'bookingDate' | 'transactionDate'): Json => ({
  [dateName]: today(),
  amount: words.amount('amount'),
  counterpartyAccount: words.ending('counterparty account'),
  ...Object.fromEntries(
    [
      ...['channel', 'typeCode', 'id', 'text', 'narrative', 'paymentReference', 'bankReference', 'category'],
      ...['subcategory', 'merchantCategoryCode', 'merchant', 'counterparty'],
    ].map((name) => [name, words.word(name)]),
  ),
});

const accountOf = (words: Canaries): Json => ({
  number: words.ending('account number'),
  type: 'checking',
  currency: 'USD',
  status: 'open',
  ledgerBalance: words.amount('ledger balance'),
  availableBalance: words.amount('available balance'),
  balancesAsOf: new Date().toISOString(),
  ...Object.fromEntries(['name', 'officialName', 'routingNumber', 'bic'].map((name) => [name, words.word(name)])),
});

type Book = Readonly<{ account: Json; rows: Json[]; pending: Json; closings: Json[] }>;

const bookOf = (words: Canaries): Book => ({
  account: accountOf(words),
  rows: [rowOf(words, 'bookingDate')],
  pending: rowOf(words, 'transactionDate'),
  closings: [{ date: today(), amount: words.amount('closing balance') }],
});

const pageOf = ({ account: { number, currency }, rows, closings }: Book): BankAnswer => {
  const [from, to] = [today(), today()];
  const headers = { 'x-row-count': String(rows.length), 'x-covered-from': from, 'x-covered-to': to };
  const body = { accountNumber: number, currency, from, to, transactions: rows, closingBalances: closings };
  return { headers, body };
};

const pendingOf = ({ account: { number, currency }, pending }: Book): BankAnswer => ({
  headers: { 'x-row-count': '1' },
  body: { accountNumber: number, currency, pending: [pending] },
});

const paymentOf = (words: Canaries, reference: string): BankAnswer => ({
  status: 201,
  body: {
    ...{ reference, status: 'executed', executedAt: new Date().toISOString(), failure: null },
    bankReference: words.word('bank reference of a payment'),
  },
});

const bodyOf = async (request: IncomingMessage): Promise<Json> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Json);
};

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** In the shapes of the sandbox bank, for one customer: a word of its own in every field that a bank can fill. */
export const startCanaryBank = async (words: Canaries): Promise<CanaryBank> => {
  const books = [bookOf(words), bookOf(words)];
  const faults: Fault[] = [];
  const payments: string[] = [];
  const answerTo = (method: string, path: string, reference: string): BankAnswer => {
    const fault = faults.findIndex((one) => one.path.test(`${method} ${path}`));
    if (method === 'POST') payments.push(reference);
    if (fault >= 0) return faults.splice(fault, 1)[0]!.answer(reference);
    if (path.endsWith('/accounts')) return { body: { accounts: books.map(({ account }) => account) } };
    const book = books.find(({ account: { number } }) => path.includes(`/${String(number)}/`));
    if (book !== undefined) return path.endsWith('/pending') ? pendingOf(book) : pageOf(book);
    return method === 'PUT' ? { body: {} } : paymentOf(words, reference);
  };
  const server = createServer((request, response) => {
    void bodyOf(request).then((asked) => {
      const path = decodeURIComponent(request.url ?? '');
      const reference = (asked['reference'] ?? path.split('/').at(-1)) as string;
      const { status = 200, headers = {}, body } = answerTo(request.method ?? '', path, reference);
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  const url = await listening(server);
  return {
    url,
    payments,
    sayOnce: (path, answer) => void faults.push({ path, answer: typeof answer === 'function' ? answer : () => answer }),
    book: () => {
      for (const { rows, closings } of books) {
        rows.push(rowOf(words, 'bookingDate'));
        closings[0] = { date: today(), amount: words.amount('closing balance') };
      }
    },
    close: () => void server.close().closeAllConnections(),
  };
};

const page = (row: object): BankAnswer => ({
  headers: { 'x-row-count': '1' },
  body: { currency: 'USD', pending: [row] },
});

/** What cannot be read, each with a word where it breaks: what is asked, and the answer. */
export const unreadable = ({ word }: Canaries): readonly (readonly [RegExp, BankAnswer])[] => [
  [/\/accounts$/, { status: 500, body: word('body of a 500') }],
  [/\/accounts$/, { status: 400, body: { error: 'x', message: word('message of a 400') } }],
  [/\/accounts$/, { body: word('what is no JSON') }],
  [/\/accounts$/, { body: { accounts: word('what is no list') } }],
  [/\/transactions$/, { headers: { 'x-row-count': word('row count') }, body: '' }],
  [
    /\/transactions$/,
    {
      headers: { 'x-row-count': '0', 'x-covered-from': today(), 'x-covered-to': today(), link: word('link') },
      body: '{}',
    },
  ],
  [/\/pending$/, { headers: { 'x-row-count': '1' }, body: word('page that is no JSON') }],
  [/\/pending$/, page({ transactionDate: word('day that is none') })],
  [/\/pending$/, page({ transactionDate: today(), typeCode: '1', amount: word('amount that is none') })],
];

/** How a payment may end at the bank, each with words where it says why. */
export const outcomes = ({ word }: Canaries): readonly ((reference: string) => BankAnswer)[] => {
  const failure = { code: word('code of a refusal'), message: word('message of a refusal') };
  const ended = (status: string, more: object) => (reference: string) => ({ body: { reference, status, ...more } });
  return [
    ended('failed', { failure }),
    ended('failed', { failure: { ...failure, code: 'limit_exceeded' } }),
    ended('declined', { failure }),
    ended('returned', { failure }),
    ended(word('status of a payment'), {}),
    () => ({ status: 503, body: word('body of a 503') }),
    ended('executed', { bankReference: word('bank reference'), executedAt: word('time of a payment') }),
  ];
};
