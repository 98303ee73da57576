import { randomOf, type Random } from '@causeway/testing';
import { readFileSync } from 'node:fs';
import { Agent, request, type RequestOptions } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Of `dev.json`. */
type Running = Readonly<{ baseUrl: string; testKey: string; processes: Readonly<Record<string, number>> }>;
type Sent = Readonly<{ method: string; path: string; headers: Record<string, string>; body: Buffer }>;
type Answer = Readonly<{ status: number; text: string }>;

/** `statuses`: how many were answered so, 0: hung up. `probed`: how long another's requests took meanwhile, ms. */
export type Seen = Readonly<{
  requests: number;
  statuses: Readonly<Record<number, number>>;
  probed: readonly number[];
}>;

const uuid = '0190a000-0000-7000-8000-000000000000';
const bodies: Readonly<Record<string, unknown>> = {
  '/v1/entities': {
    externalEntityId: 'e',
    name: 'n',
    contactEmails: ['a@example.com'],
    metadata: { a: [1, { b: null }] },
  },
  '/v1/connections': { institutionId: 'no-such-bank', entityId: uuid, portalUrl: 'https://bank.example' },
  '/v1/webhooks': { url: 'https://receiver.example/in', eventTypes: ['transactions.sync_available'], metadata: {} },
  '/v1/transfers': {
    ...{ type: 'internal', sourceAccountId: uuid, amount: { type: 'money', currency: 'USD', value: '1.00' } },
    ...{ destination: { type: 'account', accountId: uuid }, description: 'd', metadata: {} },
  },
};
const lists = [
  'transactions',
  'transactions/sync',
  'accounts',
  'balances',
  'entities',
  'connections',
  'webhooks',
  'transfers',
];
const parameters = ['limit', 'cursor', 'status', 'accountId', 'fields', 'updatedAtGte', 'createdAtLt', 'dateGte', 'x'];

const repeated = (random: Random, text: string): string => text.repeat(1 + random.below(300_000 / text.length));
const pieces = [
  '{"a":',
  '[',
  '"',
  '\\u0000',
  '\\ud800',
  '1e400',
  '-0',
  '9'.repeat(400),
  '"__proto__":{},',
  'null,',
  '\u202e',
  ' ',
  '\n',
];

const values = (random: Random): string =>
  random.pick<() => string>([
    () => random.pick(pieces),
    () => `"${repeated(random, random.pick(['x', '\u{1f3e6}', '\\u0041', 'a@b.example,']))}"`,
    () => `[${repeated(random, '"a@b.example",')}1]`,
    () => `{${Array.from({ length: 1 + random.below(20_000) }, (_, i) => `"k${i}":${i}`).join()}}`,
    () => repeated(random, '[') + random.pick(['', ']'.repeat(200_000)]),
    () => repeated(random, '{"a":'),
    () => '"'.repeat(random.below(50_000)),
  ])();

const hostileBody = (random: Random, fields: unknown): Buffer => {
  let text = JSON.stringify(fields);
  for (let left = 1 + random.below(3); left > 0; left--) {
    const from = random.below(text.length + 1);
    const cut = random.chance(0.5) ? random.below(12) : 0;
    text = text.slice(0, from) + values(random) + text.slice(from + cut);
  }
  const body = Buffer.from(text.slice(0, 2_000_000));
  if (random.chance(0.2)) body[random.below(body.length)] = random.pick([0x80, 0xff, 0xc3, 0]);
  return body;
};

const hostileQuery = (random: Random): string => {
  const value = (): string =>
    random.pick(['%', '%00', '%ff', '%F0%9F', '1e9', '-1', uuid, 'x'.repeat(random.below(9000)), '2026-99-99']);
  const count = random.chance(0.1) ? 1500 : random.below(5);
  return Array.from(
    { length: count },
    () => `${random.pick(parameters)}${random.pick(['', '[]', '[a]'])}=${value()}`,
  ).join('&');
};

const hostile = (random: Random, key: string): Sent => {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (random.chance(0.3)) {
    const id = random.pick(['', `/${uuid}`, '/%2e%2e', '/%00', `/${'a'.repeat(random.below(3000))}`]);
    return {
      method: 'GET',
      path: `/v1/${random.pick(lists)}${id}?${hostileQuery(random)}`,
      headers,
      body: Buffer.alloc(0),
    };
  }
  const [path, fields] = random.pick(Object.entries(bodies));
  headers['content-type'] = random.pick([
    'application/json',
    'application/json',
    'application/json; charset=utf-16',
    'text/plain',
  ]);
  if (random.chance(0.1)) headers['content-encoding'] = 'gzip';
  if (random.chance(0.1)) headers['idempotency-key'] = 'k'.repeat(random.below(5000));
  return { method: random.chance(0.95) ? 'POST' : 'PATCH', path, headers, body: hostileBody(random, fields) };
};

/** `undefined`: the server hung up before it had read everything, as it may with what is too large. */
const send = (base: string, { method, path, headers, body }: Sent, agent: Agent): Promise<Answer | undefined> =>
  new Promise((resolve, reject) => {
    const options: RequestOptions = {
      method,
      agent,
      headers: { ...headers, ...(body.length > 0 && { 'content-length': body.length }) },
    };
    const sent = request(`${base}${path}`, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more: string) => (text += more));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', () => resolve(undefined));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) resolve(undefined);
      else reject(error);
    });
    sent.end(body);
  });

/** What no answer to nonsense is: a fault of the server, longer than a page of errors, or no error of ours. */
const faultOf = ({ status, text }: Answer): string | undefined => {
  if (status >= 500) return `answered ${status}`;
  if (status < 400) return undefined;
  if (text.length > 16_384) return `answered ${text.length} characters`;
  const { type } = JSON.parse(text) as { type?: unknown };
  return typeof type === 'string' ? undefined : 'answered no error of ours';
};

const probePauseMs = 10;

/** How long another's request took, again and again. */
const probe = async ({ baseUrl, testKey }: Running, agent: Agent, isOver: () => boolean): Promise<number[]> => {
  const took: number[] = [];
  while (!isOver()) {
    const from = performance.now();
    const sent = {
      method: 'GET',
      path: '/v1/institutions?limit=1',
      headers: { authorization: `Bearer ${testKey}` },
      body: Buffer.alloc(0),
    };
    await send(baseUrl, sent, agent);
    took.push(performance.now() - from);
    await sleep(probePauseMs);
  }
  return took;
};

const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Throws for a process that is gone. By the name of the process: its largest resident size so far, MB. */
export const peaksOf = ({ processes }: Running): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, Math.round(peakOf(pid))]));

/** Sends nonsense to the system that runs until an answer is wrong or time is up. One request at a time, each with a seed. */
export const fuzzRequests = async (running: Running, seed: number, forMs: number): Promise<Seen> => {
  const agent = new Agent({ keepAlive: true });
  const until = Date.now() + forMs;
  const statuses: Record<number, number> = {};
  let over = false;
  const probing = probe(running, agent, () => over);
  let number = 0;
  try {
    for (; Date.now() < until; number++) {
      const sent = hostile(randomOf(seed + number), running.testKey);
      const answer = await send(running.baseUrl, sent, agent);
      const fault = answer && faultOf(answer);
      if (fault !== undefined)
        throw new Error(`seed ${seed + number}: ${sent.method} ${sent.path.slice(0, 200)} ${fault}`);
      statuses[answer?.status ?? 0] = (statuses[answer?.status ?? 0] ?? 0) + 1;
    }
  } finally {
    over = true;
    await probing;
    agent.destroy();
  }
  return { requests: number, statuses, probed: await probing };
};
