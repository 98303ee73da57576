import type { AttemptOutcome } from '@causeway/domain/webhooks';
import type { Hold } from '@causeway/work-queue';
import { Agent, request, type Dispatcher } from 'undici';
import { AddressRefused, guardedConnector, type ConnectOptions } from './connect.ts';

export type Post = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: string }>;

/** Sends nothing any more, and gives up what it sends, once the claim is lost. */
export type Send = (post: Post, hold: Hold) => Promise<AttemptOutcome>;

export type Sender = Readonly<{ send: Send; close(): Promise<void> }>;

/** Of an answer; no receiver needs to tell us more, and none shall fill our memory. */
const answerBytesMax = 4096;

/** On its way to the receiver a request waits for a name and for a connection. This is asked right before its first byte. */
const onlyIfHeld: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { throwIfLost } = (options as Dispatcher.RequestOptions<Hold>).opaque as Hold;
  return dispatch(options, {
    onRequestStart: (controller, context) => {
      throwIfLost();
      handler.onRequestStart?.(controller, context);
    },
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  });
};

/** `timeoutMs`: one deadline over name, connection, headers and body. Redirects are answers like any other. */
export const openSender = (options: ConnectOptions): Sender => {
  const agent = new Agent({ connect: guardedConnector(options), pipelining: 1, keepAliveTimeout: 10_000 });
  const dispatcher = agent.compose(onlyIfHeld);

  const send: Send = async ({ url, headers, body }, hold) => {
    const deadline = AbortSignal.timeout(options.timeoutMs);
    const signal = AbortSignal.any([deadline, hold.signal]);
    try {
      const answer = await request(url, { dispatcher, method: 'POST', headers, body, signal, opaque: hold });
      await readSome(answer.body);
      const retryAfterMs = retryAfterOf(answer.headers['retry-after']);
      return { kind: 'answered', statusCode: answer.statusCode, retryAfterMs };
    } catch (error) {
      return { kind: 'failed', error: deadline.aborted ? 'timeout' : reasonOf(error) };
    }
  };
  return { send, close: () => agent.destroy() };
};

/** Leaving the loop early ends the connection. */
const readSome = async (body: AsyncIterable<Buffer>): Promise<void> => {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) break;
  }
};

/** Seconds, or a date. */
const retryAfterOf = (value: string | string[] | undefined): number | undefined => {
  if (typeof value !== 'string') return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
};

/** For the log of deliveries that the registration's owner may read: what went wrong, and nothing of our network. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AddressRefused) return 'address_refused';
  const { code } = error as Readonly<{ code?: unknown }>;
  return typeof code === 'string' ? code.toLowerCase() : 'connection_failed';
};
