import { errorBody } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const statuses: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

const messages: Readonly<Record<number, string>> = {
  400: 'This is not an HTTP request.',
  408: 'The request did not arrive in time.',
  431: 'The address and the headers together are too long.',
};

/** Answers what is no request that a handler could get, in the words that every other refusal has. */
export const answerUnreadable = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = statuses[error.code ?? ''] ?? 400;
  const problem: Problem = { status, type: 'invalid_request', message: messages[status] ?? '' };
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(problem, requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** What a client expects of us beside what every server does. */
export const answerUnexpected = (_: IncomingMessage, response: ServerResponse): void => {
  const requestId = randomUUID();
  const message = 'No expectation is met but 100-continue.';
  response.writeHead(417, {
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    Connection: 'close',
  });
  response.end(JSON.stringify(errorBody({ status: 417, type: 'invalid_request', message }, requestId)));
};
