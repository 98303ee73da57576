/**
 * The consumer of the baselines over Kafka: the client by itself. Tells over IPC, batch by batch, how many milliseconds
 * after its sending each record came. Both processes read the one monotonic clock of the machine.
 */
import { kafkaSettings } from '@causeway/messaging-kafka';
import { rawConsumer } from '@causeway/messaging-kafka/testing';

const [topic = ''] = process.argv.slice(2);

process.on('disconnect', () => process.exit(0));
await rawConsumer(kafkaSettings(process.env), topic, (values) => {
  const now = process.hrtime.bigint();
  const times = values.map((value) => Number(now - BigInt(value.split(' ', 1)[0] ?? 0)) / 1e6);
  // Nobody may be there to be told any more: then this one ends, too.
  process.send?.(times, undefined, undefined, () => undefined);
});
process.send?.('ready');
