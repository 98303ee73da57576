import { topics } from '@causeway/contracts';
import { ensureTopics } from '@causeway/messaging-kafka';
import type { Command } from 'commander';
import { kafkaAddress } from '../kafka-address.ts';
import { print, printJson, type Json } from '../print.ts';

const ensure = async ({ json }: Json): Promise<void> => {
  const kafka = kafkaAddress(process.env);
  if (kafka === undefined) throw new Error('there is no Kafka: set CAUSEWAY_KAFKA_BROKERS');
  const made = await ensureTopics(kafka, topics);
  const told = made.length === 0 ? 'every topic is there' : `made ${made.join(', ')}`;
  if (json === true) printJson({ made });
  else print(told);
};

export const topicsCommands = (program: Command): void => {
  program
    .command('topics')
    .description('The topics that services meet on')
    .command('ensure')
    .description('Make those that are missing; every start does so, too')
    .option('--json', 'print JSON')
    .action(ensure);
};
