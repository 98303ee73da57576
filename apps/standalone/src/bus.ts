import type { DeadLetter, Transport } from '@causeway/messaging';
import {
  deadLetterMigrations,
  inProcessBroker,
  postgresDeadLetters,
  retryLetters,
} from '@causeway/messaging-in-process';
import { kafkaMember } from '@causeway/messaging-kafka';
import { logLevel, openLog, type Logger } from '@causeway/observability';
import { migrate, openPool } from '@causeway/postgres';
import { deadLetterAlarm, forgeryAlarm, openBus as openKafka } from '@causeway/service';
import { oneOf, required, type Environment } from '@causeway/settings';

/** The bus of the one process, and what has to be closed after it. */
export type OpenedBus = Readonly<{
  bus: Transport;
  /** Every group is there: messages may flow. */
  open(): void;
  /** Where the brokers are, when there are any. */
  kafkaBrokers?: string;
}>;

type Closing = (close: () => Promise<unknown>) => void;

const busSchema = 'bus';

const inThisProcess = async (databaseUrl: string, log: Logger, closing: Closing): Promise<OpenedBus> => {
  await migrate(databaseUrl, busSchema, deadLetterMigrations(busSchema));
  const pool = openPool({ url: databaseUrl, applicationName: 'bus', connectionsMax: 2 });
  closing(() => pool.end());
  const deadLetters = postgresDeadLetters(pool, busSchema);
  const alarm = deadLetterAlarm({ log });
  const add = (letter: DeadLetter): Promise<void> => deadLetters.add(letter).then(() => alarm(letter));
  const broker = inProcessBroker({ deadLetters: { add }, onForged: forgeryAlarm({ log }) });
  const stop = new AbortController();
  const retrying = retryLetters(broker, deadLetters, stop.signal);
  closing(() => {
    stop.abort();
    return retrying;
  });
  return { bus: broker, open: broker.open };
};

/** The same services on the same machine: which bus they are on is a setting. */
export const openBus = async (env: Environment, closing: Closing): Promise<OpenedBus> => {
  const kind = oneOf(env, 'CAUSEWAY_BUS', 'in-process', ['in-process', 'kafka']);
  const log = openLog('bus', logLevel(env));
  if (kind === 'in-process') return inThisProcess(required(env, 'CAUSEWAY_DATABASE_URL'), log, closing);
  const kafka = kafkaMember(env);
  const bus = openKafka(kafka, { log });
  return { bus, open: () => undefined, kafkaBrokers: kafka.brokers.join(',') };
};
