import { InvalidArgumentError, type Command } from 'commander';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { print, type Json } from '../print.ts';
import { dataDirOf, devFile, NotRunning, written } from '../running-system.ts';
import { calling, lookAfter, registered, type Interface } from '../webhook-registration.ts';

type ListenFlags = Json & Readonly<{ forwardTo: string; key?: string }>;

/** Less than what a delivery has. */
const forwardTimeoutMs = 9000;
/** Whoever is forwarded to does not answer: the delivery is tried again, by the schedule. */
const badGateway = 502;

const listenerAddress = (): Readonly<{ host: string; port: number }> => {
  const dataDir = dataDirOf(process.env);
  const [host, port] = written(dataDir)?.webhookListener?.split(':') ?? [];
  if (host === undefined) throw new NotRunning(`no system runs in ${dataDir}: start it`);
  return { host, port: Number(port) };
};

const interfaceOf =
  ({ key }: ListenFlags): Interface =>
  () => {
    const dataDir = dataDirOf(process.env);
    const dev = devFile(dataDir);
    if (dev === undefined) throw new NotRunning(`no system runs in ${dataDir}: start it`);
    const known = key ?? dev.testKey;
    if (known === undefined) throw new NotRunning('this system has no key of its own: give one with --key');
    return { baseUrl: dev.baseUrl, key: known };
  };

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** What the signature is about, and who signed: all but what belongs to the connection that it came over. */
const forwarded = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(content-type|user-agent|service-.*|webhook-.*)$/.test(name) ? [[name, String(value)]] : [],
    ),
  );

const forward = async (to: string, request: IncomingMessage, body: Buffer): Promise<number> => {
  const signal = AbortSignal.timeout(forwardTimeoutMs);
  const init = { method: 'POST', headers: forwarded(request.headers), body: new Uint8Array(body), signal } as const;
  const answer = await fetch(to, { ...init, redirect: 'manual' }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status ?? badGateway;
};

/** One line a delivery. */
const tell = (body: Buffer, status: number, durationMs: number, { json }: Json): void => {
  const { id, type, createdAt, data } = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
  if (json === true) return print(JSON.stringify({ id, type, createdAt, data, status, durationMs }));
  print(
    `${String(createdAt)}  ${String(type)}  ${String(id)}  ${JSON.stringify(data)}  → ${status} in ${durationMs} ms`,
  );
};

const startListener = async (flags: ListenFlags): Promise<Server> => {
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const since = performance.now();
      const body = await bodyOf(request);
      const status = await forward(flags.forwardTo, request, body);
      response.writeHead(status).end();
      tell(body, status, Math.round(performance.now() - since), flags);
    };
    take().catch(() => response.writeHead(badGateway).end());
  });
  const { host, port } = listenerAddress();
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Error(`${host}:${port} is taken: does another \`webhooks listen\` run on this system?`, { cause });
  });
  return server;
};

const listen = async (flags: ListenFlags): Promise<void> => {
  const call = calling(interfaceOf(flags));
  const server = await startListener(flags);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  try {
    const { host, port } = listenerAddress();
    const webhook = await registered(call, `http://${host}:${port}/`);
    if (flags.json === true) print(JSON.stringify({ webhookId: webhook.id, secret: webhook.secret }));
    else print(`Listening as webhook ${webhook.id}, forwarding to ${flags.forwardTo}. Its secret: ${webhook.secret}`);
    await lookAfter(call, webhook, stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    });
    await call('DELETE', `/${webhook.id}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const address = (text: string): string => {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError('An address that begins with http:// or https://.');
};

export const webhooksCommands = (program: Command): void => {
  program
    .command('webhooks')
    .description('See and forward what webhooks are sent, on a system that runs on this machine')
    .command('listen')
    .description('Register a webhook until Ctrl-C; print each delivery and forward it, signed as it came')
    .requiredOption('--forward-to <url>', 'where deliveries go; what it answers, the system is answered', address)
    .option('--key <key>', 'an API key with webhooks:read and webhooks:write; the test key of this system by default')
    .option('--json', 'print JSON, one line each: first the webhook with its secret, then the deliveries')
    .action(listen);
};
