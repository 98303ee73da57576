import { topics } from '@causeway/contracts';
import { ensureTopics } from '@causeway/messaging-kafka';
import type { Command } from 'commander';
import { kafkaAddress } from '../running-system.ts';

const ensure = async (): Promise<void> => {
  const kafka = kafkaAddress(process.env);
  if (kafka === undefined) throw new Error('there is no Kafka: set CAUSEWAY_KAFKA_BROKERS');
  const made = await ensureTopics(kafka, topics);
  process.stdout.write(made.length === 0 ? 'every topic is there\n' : `made ${made.join(', ')}\n`);
};

export const topicsCommands = (program: Command): void => {
  program
    .command('topics')
    .description('The topics that services meet on')
    .command('ensure')
    .description('Make those that are missing; every start does so, too')
    .action(ensure);
};
