/**
 * A client in a process of its own: one request at a time on each of many kept connections, as fast as they are
 * answered. Told what to ask over IPC, it tells how many answers came and how many bytes.
 */
import { request as httpRequest, Agent } from 'node:http';

export type Load =
  | Readonly<{
      kind: 'rate';
      urls: readonly string[];
      headers: Readonly<Record<string, string>>;
      clients: number;
      ms: number;
    }>
  | Readonly<{ kind: 'drain'; url: string; cursor: string; headers: Readonly<Record<string, string>> }>;
/** Of a rate: answers in `ms`. Of a drain: events in `ms`. */
export type Carried = Readonly<{ count: number; ms: number }>;

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

const get = (url: string, headers: Readonly<Record<string, string>>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        if (answer.statusCode === 200) resolve(body);
        else reject(new Error(`${url}: ${answer.statusCode} ${body.toString()}`));
      });
    });
    sent.on('error', reject).end();
  });

const rate = async ({ urls, headers, clients, ms }: Extract<Load, { kind: 'rate' }>): Promise<Carried> => {
  let count = 0;
  const began = performance.now();
  const client = async (first: number): Promise<void> => {
    for (let n = first; performance.now() - began < ms; n += clients) {
      await get(urls[n % urls.length] as string, headers);
      count++;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return { count, ms: performance.now() - began };
};

/** Neither side's answer is parsed: what is measured is the server. */
const drain = async ({ url, cursor, headers }: Extract<Load, { kind: 'drain' }>): Promise<Carried> => {
  const began = performance.now();
  for (let count = 0, at = cursor; ;) {
    const body = await get(`${url}${at}`, headers);
    count += body.toString('latin1').split('"eventId":').length - 1;
    const tail = body.subarray(-400).toString('latin1');
    at = /"nextCursor":"([^"]+)"/.exec(tail)?.[1] ?? '';
    if (tail.includes('"hasMore":false')) return { count, ms: performance.now() - began };
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
