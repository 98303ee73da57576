import { describeWithOwnKafka } from '@causeway/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker } from './broker.ts';

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Two starts of a JVM, on a machine that may have much else to do. */
const timeoutMs = 180_000;

describeWithOwnKafka('a broker of our own', () => {
  test(
    'ends what a killed process left behind, goes on with its data and port, and stops at a signal',
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'causeway-broker-'));
      try {
        const first = await startBroker({ dataDir });
        const second = await startBroker({ dataDir, port: first.port });
        await first.exited;
        expect(second.address).toBe(first.address);
        expect(await isListening(second.port)).toBe(true);
        await second.stop();
        expect(await isListening(second.port)).toBe(false);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
    timeoutMs,
  );
});
