import { Kafka, logLevel, type LogEntry } from 'kafkajs';
import type { KafkaConnection, Tuning } from './settings.ts';
import type { Sockets } from './sockets.ts';

const connectTimeoutMs = 3000;
/** A broker that stands still is told from one that is slow by this. A fetch waits on top of it. */
const requestTimeoutMs = 5000;

/** Short steps: a broker that comes back is noticed within a second. Whoever uses the client tries for longer. */
const retry = { initialRetryTime: 100, maxRetryTime: 1000, retries: 6 };

type Options = KafkaConnection & Partial<Pick<Tuning, 'onFault'>>;

export const kafkaClient = (
  { brokers, tls = false, ca, sasl, onFault = () => undefined }: Options,
  sockets: Sockets,
): Kafka =>
  new Kafka({
    clientId: 'causeway',
    brokers: [...brokers],
    ssl: tls && ca !== undefined ? { ca } : tls,
    ...(sasl === undefined ? {} : { sasl: { ...sasl } as never }),
    connectionTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry,
    socketFactory: sockets.factory,
    logLevel: logLevel.ERROR,
    logCreator:
      () =>
      ({ namespace, log: { message, timestamp: _, logger: __, ...detail } }: LogEntry) =>
        onFault({ what: `${namespace}: ${message}`, detail }),
  });
