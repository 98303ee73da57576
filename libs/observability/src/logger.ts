import { oneOf, type Environment } from '@causeway/settings';
import { pino, stdSerializers, type Logger, type SerializedError } from 'pino';

export type { Logger } from 'pino';

/** Never in a log, wherever they stand in what is logged. */
const secrets = ['authorization', 'secret', 'password', 'accountNumber', 'key', 'signingSecret'];

/** Of an error, nothing else that it carries: PostgreSQL's quote the row that they are about. */
const told = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, code } = stdSerializers.err(error) as SerializedError & { code?: unknown };
  return { type, message, stack, code };
};

/** One JSON line per entry on standard output. `requestId` is the correlation id of everything that followed. */
export const openLog = (service: string, level: string): Logger =>
  pino({
    level,
    base: { service },
    serializers: { err: told, error: told },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  });

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

export const logLevel = (env: Environment): (typeof levels)[number] => oneOf(env, 'CAUSEWAY_LOG_LEVEL', 'info', levels);
