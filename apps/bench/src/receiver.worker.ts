/**
 * A receiver of webhooks on five ports, hosts of their own to whoever sends. It refuses all, or accepts what comes to the
 * first four and lets what comes to the fifth hang; told to, it counts what it accepted since.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { percentile } from './percentile.ts';

export type Told = 'refuse' | 'accept' | 'count';
/**
 * `perSecond`: between the first and the last tenth, so that neither the start nor the last of a backlog counts. `p99Ms`:
 * from the time that a body says it was made at.
 */
export type Received = Readonly<{ count: number; perSecond: number; p99Ms: number }>;

const ports = 5;
const noContent = 204;
const unavailable = 503;

let isAccepting = false;
let arrivals: (readonly [atMs: number, body: string])[] = [];

const listening = async (hangs: boolean): Promise<number> => {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      if (!isAccepting) return void response.writeHead(unavailable).end();
      if (hangs) return;
      arrivals.push([performance.timeOrigin + performance.now(), body]);
      response.writeHead(noContent).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

const count = (): Received => {
  const [first, last] = [Math.floor(arrivals.length * 0.1), Math.floor(arrivals.length * 0.9)];
  const between = ((arrivals[last]?.[0] ?? Number.NaN) - (arrivals[first]?.[0] ?? Number.NaN)) / 1000;
  const late = arrivals.map(([atMs, body]) => atMs - Date.parse((JSON.parse(body) as { createdAt: string }).createdAt));
  const p99Ms = late.length === 0 ? Number.NaN : percentile(late, 0.99);
  return { count: arrivals.length, perSecond: (last - first) / between, p99Ms };
};

const listened: number[] = [];
while (listened.length < ports) listened.push(await listening(listened.length === ports - 1));
process.on('message', (told: Told) => {
  if (told === 'count') return void process.send?.(count());
  isAccepting = told === 'accept';
  arrivals = [];
});
process.on('disconnect', () => process.exit(0));
process.send?.(listened);
