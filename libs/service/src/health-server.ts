import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Readiness = Readonly<{ ready: boolean; detail: object }>;

export type Probes = Readonly<{
  readiness(): Promise<Readiness>;
  /** In Prometheus's text format. */
  metrics(): Promise<string>;
  metricsType: string;
}>;

export type HealthServer = Readonly<{ port: number; close(): Promise<void> }>;

type Reply = Readonly<{ status: number; type: string; text: string }>;

const json = (status: number, body: object): Reply => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
});

const answers = ({ readiness, metrics, metricsType }: Probes): Readonly<Record<string, () => Promise<Reply>>> => ({
  '/healthz': async () => json(200, { status: 'ok' }),
  '/readyz': async () => {
    const { ready, detail } = await readiness();
    return json(ready ? 200 : 503, { ready, ...detail });
  },
  '/metrics': async () => ({ status: 200, type: metricsType, text: await metrics() }),
});

const answer = async (
  routes: ReturnType<typeof answers>,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const route = method === 'GET' || method === 'HEAD' ? routes[url.split('?')[0] as string] : undefined;
  const { status, type, text } =
    route === undefined
      ? json(404, { error: 'not found' })
      : await route().catch((error: unknown) => json(500, { error: String(error) }));
  response.writeHead(status, { 'Content-Type': type }).end(text);
};

/** `/healthz`: the process is alive. `/readyz`: it can do its work. `/metrics`: how the work goes. `port` 0: any free one. */
export const startHealthServer = async (
  { host, port }: Readonly<{ host: string; port: number }>,
  probes: Probes,
): Promise<HealthServer> => {
  const routes = answers(probes);
  const server = createServer((request, response) => void answer(routes, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, close };
};
