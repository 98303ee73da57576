import {
  DeadlineExceeded,
  handlingDefaults,
  type DeadLetter,
  type HandlingSettings,
  type Topic,
} from '@causeway/messaging';
import {
  list,
  oneOf,
  optional,
  required,
  secretsIn,
  SettingInvalid,
  type Environment,
  type SecretRing,
} from '@causeway/settings';
import { readFileSync } from 'node:fs';

const mechanisms = ['none', 'plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** Where the brokers are, and as whom to speak to them. */
export type KafkaConnection = Readonly<{
  /** `host:port` of one broker or more; they tell of the others. */
  brokers: readonly string[];
  tls?: boolean;
  /** Certificates to trust in place of those that Node knows, in PEM. */
  ca?: string;
  sasl?: Readonly<{ mechanism: Exclude<(typeof mechanisms)[number], 'none'>; username: string; password: string }>;
}>;

/** A connection as one of ours: `secrets` make and check the MAC of every record. */
export type KafkaMember = KafkaConnection & Readonly<{ secrets: SecretRing }>;

/** What is worth a line in a log: the client's own errors, and commits that did not get through. */
export type KafkaFault = Readonly<{ what: string; detail: object }>;

export type Tuning = Omit<HandlingSettings, 'deadLetters'> &
  Readonly<{
    /** Made, where they are missing, before anything else; the transport adds its own. */
    topics: readonly Topic[];
    /** Whether commands are sent from here; only then are replies listened to. */
    asks: boolean;
    onFault(fault: KafkaFault): void;
    /** A message was set aside. */
    onDeadLetter(letter: DeadLetter): void;
    /** A member that is not heard of for so long loses its partitions; brokers take 6 s at the least by default. */
    sessionTimeoutMs: number;
    heartbeatMs: number;
    /** How long a broker holds a fetch that finds nothing. A stop waits for it. */
    fetchWaitMs: number;
    /** What a kill repeats at the most, in time. */
    commitEveryMs: number;
  }>;

export type KafkaSettings = KafkaMember & Partial<Tuning>;
export type Settings = KafkaMember & Tuning;

/** Kafka, or another service that is asked over it, is away. The client names all its errors so. */
const isAway = (error: unknown): boolean =>
  error instanceof Error && (/^KafkaJS/.test(error.name) || error instanceof DeadlineExceeded);

export const timing = {
  sessionTimeoutMs: 6000,
  heartbeatMs: 1500,
  fetchWaitMs: 500,
  commitEveryMs: 500,
} as const;

/** `isOutage`, where it is given, knows what else a handler may need. */
export const withDefaults = ({ isOutage = () => false, ...settings }: KafkaSettings): Settings => ({
  topics: [],
  asks: true,
  onFault: () => undefined,
  onDeadLetter: () => undefined,
  ...handlingDefaults,
  isOutage: (error) => isAway(error) || isOutage(error),
  ...timing,
  ...settings,
});

const isLoopback = (broker: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\]):/i.test(broker);

/** From the environment. Throws `SettingInvalid`, which names the variable. */
export const kafkaSettings = (env: Environment): KafkaConnection => {
  const brokers = list(env, 'CAUSEWAY_KAFKA_BROKERS');
  if (brokers.length === 0) throw new SettingInvalid('CAUSEWAY_KAFKA_BROKERS must be set');
  const wrong = brokers.some((broker) => !/^[^\s:]+:\d{1,5}$|^\[[0-9a-f:]+\]:\d{1,5}$/i.test(broker));
  if (wrong) throw new SettingInvalid('CAUSEWAY_KAFKA_BROKERS must be host:port, with commas between');
  const tls = oneOf(env, 'CAUSEWAY_KAFKA_TLS', 'off', ['off', 'on']) === 'on';
  const plaintext = oneOf(env, 'CAUSEWAY_KAFKA_PLAINTEXT', 'refused', ['refused', 'allowed']);
  if (!tls && plaintext === 'refused' && !brokers.every(isLoopback)) {
    throw new SettingInvalid(
      'CAUSEWAY_KAFKA_TLS must be on for brokers off this machine; CAUSEWAY_KAFKA_PLAINTEXT=allowed does without',
    );
  }
  const mechanism = oneOf(env, 'CAUSEWAY_KAFKA_SASL_MECHANISM', 'none', mechanisms);
  const connection = { brokers, tls, ...trusted(env, tls) };
  if (mechanism === 'none') {
    if (optional(env, 'CAUSEWAY_KAFKA_SASL_USERNAME') === undefined) return connection;
    throw new SettingInvalid('CAUSEWAY_KAFKA_SASL_MECHANISM must be set where a user name is');
  }
  const username = required(env, 'CAUSEWAY_KAFKA_SASL_USERNAME');
  const password = required(env, 'CAUSEWAY_KAFKA_SASL_PASSWORD');
  return { ...connection, sasl: { mechanism, username, password } };
};

/** The same as one of ours. */
export const kafkaMember = (env: Environment): KafkaMember => ({
  ...kafkaSettings(env),
  secrets: secretsIn(env, 'CAUSEWAY_BUS_SECRET'),
});

const trusted = (env: Environment, tls: boolean): Pick<KafkaConnection, 'ca'> => {
  const file = optional(env, 'CAUSEWAY_KAFKA_TLS_CA_FILE');
  if (file === undefined) return {};
  if (!tls) throw new SettingInvalid('CAUSEWAY_KAFKA_TLS must be on where CAUSEWAY_KAFKA_TLS_CA_FILE is set');
  try {
    return { ca: readFileSync(file, 'utf8') };
  } catch {
    throw new SettingInvalid('CAUSEWAY_KAFKA_TLS_CA_FILE must be a file that can be read');
  }
};
