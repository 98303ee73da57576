import { eventually } from '@causeway/messaging/testing';
import { describeWithKafka, testBrokers } from '@causeway/testing';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { message, newName, numberOf, onEvent, openBus, quick, secrets, untilReady } from './testing/bus-under-test.ts';
import { trackedSockets, type Sockets } from './sockets.ts';
import { kafkaTransport } from './transport.ts';

/** The kind of a request, as it stands behind the four bytes of its length. */
const kindOf = (request: unknown): number | undefined =>
  Buffer.isBuffer(request) && request.length > 6 ? request.readInt16BE(4) : undefined;
const joinGroup = 11;
const heartbeat = 12;

/** Once armed: the next heartbeat comes too late for the session, and the join that follows finds its connection cut. */
const unluckySockets = () => {
  const sockets = trackedSockets();
  let next: 'nothing' | 'heartbeat' | 'join' | 'done' = 'nothing';
  const spoil = (socket: Socket): Socket => {
    const write = socket.write.bind(socket) as (...told: unknown[]) => boolean;
    const unlucky = (...told: unknown[]): boolean => {
      const kind = kindOf(told[0]);
      if (next === 'heartbeat' && kind === heartbeat) {
        next = 'join';
        void sleep(2 * quick.sessionTimeoutMs).then(() => write(...told));
        return true;
      }
      if (next !== 'join' || kind !== joinGroup) return write(...told);
      next = 'done';
      socket.destroy(new Error('cut'));
      return false;
    };
    return Object.assign(socket, { write: unlucky });
  };
  const factory: Sockets['factory'] = (options) => spoil(sockets.factory(options));
  const arm = (): void => void (next = 'heartbeat');
  return { sockets: { ...sockets, factory }, arm, happened: () => next === 'done' };
};

describeWithKafka('a member that the group has forgotten', () => {
  test('joins again though its first attempt was cut off', async () => {
    const [topic, group] = [newName(), newName()];
    const brokers = [await testBrokers()];
    const topics = [{ name: topic, partitions: 1, retentionMs: 600_000 }];
    const { sockets, arm, happened } = unluckySockets();
    const bus = kafkaTransport({ ...quick, brokers, secrets, topics, asks: false }, sockets);
    const other = openBus({ brokers }, [topic]);
    try {
      const got: number[] = [];
      await bus.consume(onEvent(group, topic, async (m) => void got.push(numberOf(m))));
      await Promise.all([untilReady(bus), untilReady(other)]);
      arm();
      await eventually(() => expect(happened()).toBe(true));
      await other.publish(topic, [message('k', 1)]);
      await eventually(() => expect(got).toEqual([1]));
      await untilReady(bus);
    } finally {
      await Promise.all([bus.close(), other.close()]);
    }
  });
});
