/**
 * One Kafka broker for a test run, started when the first spec asks for it: the specs' processes ask this one over a
 * socket. Where none can be had, the specs that need it count as skipped.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from '../../tools/bundling.mjs';

export const offerKafka = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-kafka-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const { brokerSource, missingTools } = await importSource('libs/kafka-broker/src/index.ts');
    const source = await brokerSource();
    if ((await missingTools()) === undefined) process.env.CAUSEWAY_TEST_KAFKA_OWN = 'yes';
    let opened;
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      opened ??= source.open({ dataDir });
      opened.then(
        ({ brokers }) => socket.end(JSON.stringify({ brokers })),
        (error) => socket.end(JSON.stringify({ error: error.message })),
      );
    });
    const path = join(dataDir, 'socket');
    await new Promise((resolve) => server.listen(path, resolve));
    server.unref();
    process.env.CAUSEWAY_TEST_KAFKA = path;
    return async () => {
      server.close();
      await opened?.then(({ stop }) => stop()).catch(() => undefined);
      remove();
    };
  } catch (error) {
    remove();
    if (process.env.CI !== undefined) throw error;
    console.warn(`No Kafka broker can be had, the .kafka.spec.ts files are skipped: ${error.message}`);
    return async () => undefined;
  }
};
