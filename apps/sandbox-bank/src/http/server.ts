import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse, type Answer, type Route } from './answer.ts';

const bodyBytesMax = 256 * 1024;
/** Pieces of a long answer are gathered to this size. */
const chunkLength = 256 * 1024;
/** Longer than a client keeps an idle connection, so that it is the client that lets go. */
const keepAliveMs = 60_000;

type Body = Readonly<{ value: unknown }> | Readonly<{ refused: Answer }>;

const readBody = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyBytesMax) return { refused: refuse(413, 'body_too_large', `More than ${bodyBytesMax} bytes.`) };
    chunks.push(chunk);
  }
  if (length === 0) return { value: undefined };
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { refused: refuse(400, 'bad_body', 'The body is not JSON.') };
  }
};

/** A segment that cannot be decoded names nothing. */
const decoded = (groups: Record<string, string>): Record<string, string> | undefined => {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
};

/** A page in a browser may be led here by a name of its own: whoever means this bank names the loopback interface. */
const isLoopback = (host = ''): boolean => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host);

const answerTo = async (routes: readonly Route[], request: IncomingMessage): Promise<Answer> => {
  const body = await readBody(request);
  if ('refused' in body) return body.refused;
  const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
  if (path.startsWith('/control/') && !isLoopback(request.headers.host))
    return refuse(421, 'misdirected', 'The control interface is asked for by a loopback address.');
  let allowed = 0;
  for (const route of routes) {
    const match = route.path.exec(path);
    const params = match === null ? undefined : decoded({ ...match.groups });
    if (params === undefined) continue;
    allowed += 1;
    if (route.method === request.method)
      return route.handle({ params, query: new URLSearchParams(search), body: body.value });
  }
  if (allowed > 0) return refuse(405, 'method_not_allowed', `${path} does not take ${request.method}.`);
  return refuse(404, 'not_found', `There is nothing at ${path}.`);
};

function* gathered(pieces: Iterable<string>): Generator<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < chunkLength) continue;
    yield text;
    text = '';
  }
  yield text;
}

const send = async (answer: Answer, response: ServerResponse): Promise<void> => {
  const headers = { 'content-type': 'application/json', ...answer.headers };
  if (typeof answer.body !== 'string') {
    response.writeHead(answer.status, headers);
    return pipeline(Readable.from(gathered(answer.body)), response);
  }
  const bytes = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...headers, 'content-length': bytes.length });
  const { socket } = response;
  if (answer.fate === 'twice' && socket !== null) {
    const head = `HTTP/1.1 ${answer.status} OK\r\ncontent-type: application/json\r\n`;
    const again = Buffer.concat([Buffer.from(`${head}content-length: ${bytes.length}\r\n\r\n`), bytes]);
    response.once('finish', () => socket.write(again));
  }
  response.end(bytes);
};

export type Serving = Readonly<{
  routes: readonly Route[];
  /** Resolves when everything decided so far is on disk. */
  durable: () => Promise<void>;
  /** A fault: the bank cannot go on. */
  onFault: (cause: unknown) => void;
}>;

const handle = async (serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  try {
    const answer = await answerTo(serving.routes, request);
    await serving.durable();
    if (answer.afterMs !== undefined && answer.afterMs > 0) await sleep(answer.afterMs, undefined, { ref: false });
    if (answer.fate === 'lost') response.destroy();
    else await send(answer, response);
  } catch (cause) {
    // A caller that went away is no fault of the bank.
    if (request.destroyed && !request.complete) return;
    if (response.destroyed || response.socket?.destroyed === true) return;
    serving.onFault(cause);
  }
};

/** The loopback interface only: the control interface asks nobody who they are. */
export const serve = async (serving: Serving, port: number): Promise<Server> => {
  const server = createServer((request, response) => void handle(serving, request, response));
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
};
