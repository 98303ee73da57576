import { errorBody } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const statuses: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

const messages: Readonly<Record<number, string>> = {
  400: 'This is not an HTTP request.',
  408: 'The request did not arrive in time.',
  417: 'No expectation is met but 100-continue.',
  431: 'The address and the headers together are too long.',
};

/** Refuses and lets go of the connection, in the words that every other refusal has. */
const refuse = (socket: Socket, status: number): void => {
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

/** What is no request that a handler could get. */
export const answerUnreadable = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  refuse(socket, statuses[error.code ?? ''] ?? 400);
};

/** What expects of us something beside what every server does. */
export const answerUnexpected = ({ socket }: IncomingMessage): void => refuse(socket, 417);
