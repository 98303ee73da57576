import { oneOf, type Environment } from '@causeway/settings';
import { pino, stdSerializers, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Never in a log, wherever they stand in what is logged. */
const secrets = ['authorization', 'secret', 'password', 'accountNumber', 'key', 'signingSecret'];

/** One JSON line per entry on standard output. `requestId` is the correlation id of everything that followed. */
export const openLog = (service: string, level: string): Logger =>
  pino({
    level,
    base: { service },
    serializers: { err: stdSerializers.err, error: stdSerializers.err },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  });

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

export const logLevel = (env: Environment): (typeof levels)[number] => oneOf(env, 'CAUSEWAY_LOG_LEVEL', 'info', levels);
