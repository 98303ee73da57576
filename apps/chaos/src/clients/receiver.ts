import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Api } from '../api.ts';
import type { Told } from '../world.ts';

type Notice = Readonly<{ id: string; type: string; data: Readonly<{ connectionId: string }> }>;

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
};

/** At least once, and every time the same. */
const hear = (told: Told, body: string): void => {
  const { id, type, data } = JSON.parse(body) as Notice;
  const before = told.notices.get(id);
  if (before !== undefined && before !== body) told.broken.push(`the webhook event ${id} came with two contents`);
  told.notices.set(id, body);
  if (type === 'transactions.sync_available') told.syncsHeard.add(data.connectionId);
};

/** Where webhooks are sent to. It answers whatever becomes of the system. */
export const startReceiver = async (port: number, told: Told): Promise<() => void> => {
  const server = createServer((request, response) => {
    bodyOf(request).then(
      (body) => {
        hear(told, body);
        response.end();
      },
      () => response.destroy(),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return () => {
    server.closeAllConnections();
    server.close();
  };
};

/** Asked for anew until it is granted: one too many only makes us hear more. */
export const subscribe = async (api: Api, port: number, timeoutMs: number): Promise<void> => {
  const body = { url: `http://127.0.0.1:${port}/hook`, events: ['transactions.sync_available'] };
  const answer = await api.insist('/v1/webhooks', { method: 'POST', body }, AbortSignal.timeout(timeoutMs));
  if (answer?.status !== 201) throw new Error(`registering a webhook answered ${answer?.status}`);
};
