/**
 * `npm run kafka`: one Apache Kafka broker for development, until Ctrl-C. Port: CAUSEWAY_KAFKA_PORT, 9092 when unset,
 * 0 for any; data: `kafka/` in CAUSEWAY_DATA_DIR, `var` when unset; release: CAUSEWAY_KAFKA_VERSION, `3.9` or `4`.
 */
import { join } from 'node:path';
import { importSource } from './bundling.mjs';

process.chdir(join(import.meta.dirname, '..'));
const { brokerSource, NoBroker } = await importSource('libs/kafka-broker/src/index.ts');

const port = Number(process.env.CAUSEWAY_KAFKA_PORT ?? 9092);
const dataDir = process.env.CAUSEWAY_DATA_DIR ?? 'var';
const keepAlive = setInterval(() => undefined, 1 << 30);
const told = new Promise((resolve) => process.on('SIGTERM', resolve).on('SIGINT', resolve));
try {
  const source = await brokerSource();
  const { brokers, stop } = await source.open({ dataDir, ...(port === 0 ? {} : { port }) });
  console.log(`Apache Kafka on ${brokers}: CAUSEWAY_BUS=kafka CAUSEWAY_KAFKA_BROKERS=${brokers}`);
  // A signal that came during the start is heard here, when there is something to stop.
  await told;
  await stop();
} catch (error) {
  console.error(error instanceof NoBroker ? error.message : error);
  process.exitCode = 1;
} finally {
  clearInterval(keepAlive);
}
