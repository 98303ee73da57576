/**
 * A client in a process of its own: one request at a time on each of many kept connections, as fast as they are
 * answered. Told what to ask over IPC, it tells how many answers came, and how late.
 */
import { randomUUID } from 'node:crypto';
import { request as httpRequest, Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from './percentile.ts';

type Headers = Readonly<Record<string, string>>;
/** Asked by turns. */
type Asked = Readonly<{
  urls: readonly string[];
  headers: Headers;
  /** Posted by turns with an Idempotency-Key of its own each; `$id` in it becomes an id that is new. */
  bodies?: readonly string[];
}>;
export type Load =
  | (Asked & Readonly<{ kind: 'rate'; clients: number; ms: number }>)
  /** So many a second, whether or not the ones before were answered. */
  | (Asked & Readonly<{ kind: 'paced'; perSecond: number; ms: number }>)
  /** One at a time, each of the addresses so many times. */
  | Readonly<{ kind: 'turns'; urls: readonly string[]; headers: Headers; times: number }>
  | Readonly<{ kind: 'drain'; url: string; cursor: string; headers: Headers }>;
/**
 * Of a rate: answers in `ms`, and the time that 99 % of them did not pass; when paced, from the moment at which each was to
 * be sent. Of turns: the time that half of an address's did not pass, by address. Of a drain: events in `ms`.
 */
export type Carried = Readonly<{ count: number; ms: number; p99Ms: number; p50sMs?: readonly number[] }>;

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

const ask = (url: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const received = Buffer.concat(chunks);
        if ((answer.statusCode ?? 500) < 300) resolve(received);
        else reject(new Error(`${url}: ${answer.statusCode} ${received.toString()}`));
      });
    });
    // A connection that was kept may be closed by the server just when it is used again.
    const failed = (error: NodeJS.ErrnoException): void => {
      if (sent.reusedSocket && error.code === 'ECONNRESET') ask(url, headers, body).then(resolve, reject);
      else reject(error);
    };
    sent.on('error', failed).end(body);
  });

const post = (url: string, headers: Readonly<Record<string, string>>, template: string): Promise<Buffer> => {
  const key = randomUUID();
  const own = { ...headers, 'content-type': 'application/json', 'idempotency-key': key };
  return ask(url, own, template.replace('$id', key));
};

const send = async ({ urls, headers, bodies }: Asked, n: number): Promise<void> => {
  const url = urls[n % urls.length] as string;
  if (bodies === undefined) await ask(url, headers);
  else await post(url, headers, bodies[n % bodies.length] as string);
};

const rate = async ({ clients, ms, ...asked }: Extract<Load, { kind: 'rate' }>): Promise<Carried> => {
  const times: number[] = [];
  const began = performance.now();
  const client = async (first: number): Promise<void> => {
    for (let n = first; performance.now() - began < ms; n += clients) {
      const sent = performance.now();
      await send(asked, n);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return { count: times.length, ms: performance.now() - began, p99Ms: percentile(times, 0.99) };
};

const paced = async ({ perSecond, ms, ...asked }: Extract<Load, { kind: 'paced' }>): Promise<Carried> => {
  const times: number[] = [];
  const began = performance.now();
  const one = async (n: number): Promise<void> => {
    const dueMs = began + (1000 * n) / perSecond;
    await sleep(Math.max(0, dueMs - performance.now()));
    await send(asked, n);
    times.push(performance.now() - dueMs);
  };
  await Promise.all(Array.from({ length: Math.floor((perSecond * ms) / 1000) }, (_, n) => one(n)));
  return { count: times.length, ms: performance.now() - began, p99Ms: percentile(times, 0.99) };
};

const turns = async ({ urls, headers, times }: Extract<Load, { kind: 'turns' }>): Promise<Carried> => {
  const took = urls.map((): number[] => []);
  const began = performance.now();
  for (let time = 0; time < times; time++) {
    for (const [n, url] of urls.entries()) {
      const sent = performance.now();
      await ask(url, headers);
      took[n]?.push(performance.now() - sent);
    }
  }
  const p50sMs = took.map((of) => percentile(of, 0.5));
  return { count: times * urls.length, ms: performance.now() - began, p99Ms: percentile(took.flat(), 0.99), p50sMs };
};

/** Neither side's answer is parsed: what is measured is the server. */
const drain = async ({ url, cursor, headers }: Extract<Load, { kind: 'drain' }>): Promise<Carried> => {
  const began = performance.now();
  for (let count = 0, at = cursor; ;) {
    const body = await ask(`${url}${at}`, headers);
    count += body.toString('latin1').split('"eventId":').length - 1;
    const tail = body.subarray(-400).toString('latin1');
    at = /"nextCursor":"([^"]+)"/.exec(tail)?.[1] ?? '';
    if (tail.includes('"hasMore":false')) return { count, ms: performance.now() - began, p99Ms: Number.NaN };
  }
};

const carry = (load: Load): Promise<Carried> => {
  switch (load.kind) {
    case 'rate':
      return rate(load);
    case 'paced':
      return paced(load);
    case 'turns':
      return turns(load);
    case 'drain':
      return drain(load);
  }
};

process.on('message', (load: Load) => {
  carry(load).then(
    (carried) => process.send?.(carried),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
