import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between the service and the bank, and notes what is asked for. */
export const startBankRequests = async (bankUrl: string) => {
  const paths: string[] = [];
  const awaited = new Set<string>();
  const server = createServer((incoming, answer) => {
    const { method, url = '/', headers } = incoming;
    paths.push(url);
    awaited.add(url);
    answer.on('close', () => awaited.delete(url));
    const asked = request(new URL(url, bankUrl), { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    asked.on('error', () => answer.destroy());
    incoming.pipe(asked);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, awaited, stop };
};
