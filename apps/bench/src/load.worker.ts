/**
 * A client in a process of its own: one request at a time on each of many kept connections, as fast as they are
 * answered. Told what to ask over IPC, it tells how many answers came, and how late.
 */
import { randomUUID } from 'node:crypto';
import { request as httpRequest, Agent } from 'node:http';
import { percentile } from './percentile.ts';

export type Load =
  | Readonly<{
      kind: 'rate';
      urls: readonly string[];
      headers: Readonly<Record<string, string>>;
      clients: number;
      ms: number;
      /** Posted by turns with an Idempotency-Key of its own each; `$id` in it becomes an id that is new. */
      bodies?: readonly string[];
    }>
  | Readonly<{ kind: 'drain'; url: string; cursor: string; headers: Readonly<Record<string, string>> }>;
/** Of a rate: answers in `ms`, and the time that 99 % of them did not pass. Of a drain: events in `ms`. */
export type Carried = Readonly<{ count: number; ms: number; p99Ms: number }>;

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
    sent.on('error', reject).end(body);
  });

const post = (url: string, headers: Readonly<Record<string, string>>, template: string): Promise<Buffer> => {
  const key = randomUUID();
  const own = { ...headers, 'content-type': 'application/json', 'idempotency-key': key };
  return ask(url, own, template.replace('$id', key));
};

const rate = async ({ urls, headers, clients, ms, bodies }: Extract<Load, { kind: 'rate' }>): Promise<Carried> => {
  const times: number[] = [];
  const began = performance.now();
  const client = async (first: number): Promise<void> => {
    for (let n = first; performance.now() - began < ms; n += clients) {
      const asked = performance.now();
      const url = urls[n % urls.length] as string;
      if (bodies === undefined) await ask(url, headers);
      else await post(url, headers, bodies[n % bodies.length] as string);
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return { count: times.length, ms: performance.now() - began, p99Ms: percentile(times, 0.99) };
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

process.on('message', (load: Load) => {
  (load.kind === 'rate' ? rate(load) : drain(load)).then(
    (carried) => process.send?.(carried),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
