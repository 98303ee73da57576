import { once } from 'node:events';
import { createConnection } from 'node:net';

const path = process.env['CAUSEWAY_TEST_KAFKA'];

/** The first start on a machine brings some fifty jars, and the first who asks waits for them. */
const startTimeoutMs = 10 * 60_000;

const describeWhere = (isThere: boolean, name: string, specs: () => void): void =>
  (isThere ? describe : describe.skip)(name, () => {
    beforeAll(testBrokers, startTimeoutMs);
    specs();
  });

/** For specs that need Kafka. Where no broker can be had they count as skipped. */
export const describeWithKafka = (name: string, specs: () => void): void =>
  describeWhere(path !== undefined, name, specs);

/** For specs that start, stop and kill a broker of their own: they need Java and Maven. */
export const describeWithOwnKafka = (name: string, specs: () => void): void =>
  describeWhere(process.env['CAUSEWAY_TEST_KAFKA_OWN'] !== undefined, name, specs);

/** The broker of the test run, `host:port`: started by the first who asks. */
export const testBrokers = async (): Promise<string> => {
  if (path === undefined) throw new Error('CAUSEWAY_TEST_KAFKA is not set: run the specs with npm test');
  const socket = createConnection(path);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, 'end');
  const { brokers, error } = JSON.parse(answer) as { brokers?: string; error?: string };
  if (brokers === undefined) throw new Error(`no Kafka broker: ${error}`);
  return brokers;
};
