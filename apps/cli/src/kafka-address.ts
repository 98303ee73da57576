import { kafkaSettings, type KafkaConnection } from '@causeway/messaging-kafka';
import { optional, type Environment } from '@causeway/settings';
import { dataDirOf, written } from './running-system.ts';

/** The brokers that the system is on; undefined where its bus is in the one process. */
export const kafkaAddress = (env: Environment): KafkaConnection | undefined => {
  const brokers = optional(env, 'CAUSEWAY_KAFKA_BROKERS') ?? written(dataDirOf(env))?.kafkaBrokers;
  return brokers === undefined ? undefined : kafkaSettings({ ...env, CAUSEWAY_KAFKA_BROKERS: brokers });
};
