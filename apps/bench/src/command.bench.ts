import { messageOf, syncConnection } from '@causeway/contracts';
import type { Bus } from '@causeway/messaging';
import { kafkaMember, kafkaTransport } from '@causeway/messaging-kafka';
import { randomUUID } from 'node:crypto';
import { inPairs, type Measurement } from './measurement.ts';
import { percentile } from './percentile.ts';
import { kafkaEnvOf, withRawKafka } from './raw-kafka.ts';
import { onSystem, type Bench } from './synced-system.ts';

/** Of each side, one after the other, in each pair. */
const commandsMax = 2000;
/** Until both sides' code has been compiled, ours takes twice its time. */
const warmUpCommands = 5000;
/** For the line beside the figure. */
const httpCommands = 2000;
/** What the gateway gives a command. */
const timeLeftMs = 10_000;
const notFound = 404;

const medianMs = async (times: number, work: () => Promise<void>): Promise<number> => {
  const taken: number[] = [];
  for (let time = 0; time < times; time++) {
    const began = performance.now();
    await work();
    taken.push(performance.now() - began);
  }
  return percentile(taken, 0.5);
};

/** As the gateway asks for the sync of a connection that there is not: the service reads its stream and refuses. */
const refusedOverBus = async (bus: Bus, organization: string): Promise<void> => {
  const command = { organization, environment: 'test', connectionId: randomUUID() } as const;
  const causes = { id: randomUUID(), correlationId: randomUUID(), causationId: randomUUID() };
  const message = messageOf(syncConnection, command, causes);
  const reply = await bus.request(syncConnection.topic, message, timeLeftMs);
  if (reply.ok || reply.problem.status !== notFound) throw new Error(`not refused: ${JSON.stringify(reply)}`);
};

const refusedOverHttp = async ({ system }: Bench): Promise<void> => {
  const headers = { authorization: `Bearer ${system.testKey}` };
  const url = `${system.baseUrl}/v1/connections/${randomUUID()}/sync`;
  const answer = await fetch(url, { method: 'PUT', headers });
  await answer.arrayBuffer();
  if (answer.status !== notFound) throw new Error(`not refused: ${answer.status}`);
};

/**
 * P11. Ours is a command of the running system, asked in the gateway's place over the gateway's bus and answered by the
 * connections service in its own process: envelope, Nest, the rules and the read of the stream are all in it, the HTTP
 * in front of it is not, for that is P1's. The baseline is a record there and, as the factor 2, a record back. Both
 * sides go one at a time, from this process, over the same broker, while the five processes stand by.
 */
export const commandBench: Measurement = {
  id: 'P11',
  name: 'a refused command over the bus, p50 / twice the raw produce to consume, p50',
  unit: 'ms',
  target: 1.5,
  floor: 2.5,
  lessIsBetter: true,
  needsBroker: true,
  run: ({ rows, pairs, databaseUrl }) =>
    onSystem({ rows: 1, serverUrl: databaseUrl, name: 'bench_command', distributed: true }, (bench) =>
      withRawKafka(bench.dataDir, async (raw) => {
        const { organization } = bench.system;
        const bus = kafkaTransport(kafkaMember(kafkaEnvOf(bench.dataDir)));
        const commands = Math.min(rows, commandsMax);
        const ours = (times: number) => medianMs(times, () => refusedOverBus(bus, organization));
        const baseline = async (times: number) => 2 * percentile(await raw.oneByOne(times), 0.5);
        try {
          await ours(warmUpCommands);
          await baseline(warmUpCommands);
          const measured = await inPairs(pairs, { ours: () => ours(commands), baseline: () => baseline(commands) });
          const http = await medianMs(httpCommands, () => refusedOverHttp(bench));
          process.stderr.write(`P11: through HTTP and the gateway the same is refused in ${http.toFixed(2)} ms, p50\n`);
          return { ...measured, rows: commands };
        } finally {
          await bus.close();
        }
      }),
    ),
};
