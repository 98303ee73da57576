import { Agent, request, type Dispatcher } from 'undici';
import { BankFault, type BankFaultKind } from '../connector.ts';

/** The bank answers within three seconds when it is slow; what takes ten times that does not come. */
const headersTimeoutMs = 30_000;
const bodyTimeoutMs = 30_000;
const connectTimeoutMs = 5_000;
/** A page of a hundred thousand rows; what is longer is not read to its end. */
const bodyBytesMax = 64 * 1024 * 1024;

export type BankAnswer = Readonly<{ status: number; header: (name: string) => string | undefined; body: Buffer }>;

export type BankCall = Readonly<{
  method: 'GET' | 'PUT' | 'POST';
  path: string;
  body?: object;
  signal?: AbortSignal;
  /** Statuses besides 2xx that are an answer and no fault. */
  expected?: readonly number[];
}>;

export type BankClient = (baseUrl: string, call: BankCall) => Promise<BankAnswer>;

const faultKind = (status: number): BankFaultKind => {
  if (status === 401) return 'login_refused';
  if (status === 403) return 'access_revoked';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'unavailable' : 'bad_answer';
};

const refusal = (call: BankCall, answer: BankAnswer): BankFault => {
  const seconds = Number(answer.header('retry-after'));
  const options = Number.isInteger(seconds) && seconds >= 0 ? { retryAfterSeconds: seconds } : {};
  return new BankFault(faultKind(answer.status), `${call.method} ${call.path}: ${answer.status}`, options);
};

const readBody = async (call: BankCall, body: Dispatcher.ResponseData['body']): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyBytesMax) throw new BankFault('bad_answer', `${call.path}: more than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
};

const send = async (agent: Agent, url: string, call: BankCall): Promise<BankAnswer> => {
  const response = await request(url, {
    dispatcher: agent,
    method: call.method,
    ...(call.signal === undefined ? {} : { signal: call.signal }),
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    headers: { 'content-type': 'application/json' },
  });
  const header = (name: string): string | undefined => {
    const value = response.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return { status: response.statusCode, header, body: await readBody(call, response.body) };
};

/**
 * Calls the bank. No answer, or half of one, is `unavailable`: what was asked may or may not have happened.
 * `reuse` false opens a connection for each call, so that an answer cannot be the late one to another question.
 */
export const bankClient = ({ reuse }: Readonly<{ reuse: boolean }>): BankClient => {
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    ...(reuse ? {} : { pipelining: 0 }),
  });
  return async (baseUrl, call) => {
    let answer: BankAnswer;
    try {
      answer = await send(agent, new URL(call.path, baseUrl).href, call);
    } catch (cause) {
      call.signal?.throwIfAborted();
      if (cause instanceof BankFault) throw cause;
      throw new BankFault('unavailable', `${call.method} ${call.path}: no answer`, { cause });
    }
    if (answer.status < 300 || call.expected?.includes(answer.status) === true) return answer;
    throw refusal(call, answer);
  };
};
