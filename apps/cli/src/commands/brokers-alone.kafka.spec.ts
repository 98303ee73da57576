import { topics } from '@causeway/contracts';
import type { Message } from '@causeway/messaging';
import { eventually } from '@causeway/messaging/testing';
import { kafkaTransport } from '@causeway/messaging-kafka';
import { describeWithKafka, testBrokers } from '@causeway/testing';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const causeway = join(import.meta.dirname, '../../../../tools/causeway.mjs');
const minuteMs = 60_000;
/** Each command is a process of its own, and the first may build it. */
const timeoutMs = 3 * minuteMs;

type Letter = Readonly<{ id: string; source: string }>;

const secret = '05'.repeat(32);

describeWithKafka('commands that need the brokers alone', () => {
  let brokers: string;
  let dataDir: string;
  beforeAll(async () => {
    brokers = await testBrokers();
    dataDir = mkdtempSync(join(tmpdir(), 'causeway-cli-'));
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  /** Of a machine that knows neither the database nor the master key. */
  const run = async (told: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const nothing = { CAUSEWAY_DATABASE_URL: '', CAUSEWAY_MASTER_KEY: '', CAUSEWAY_KAFKA_BROKERS: '' };
    const env = { ...process.env, ...nothing, CAUSEWAY_DATA_DIR: dataDir, ...told };
    const child = spawn(process.execPath, [causeway, ...args], { env, stdio: 'pipe' });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    return { status, stdout, stderr };
  };
  const told = () => ({ CAUSEWAY_KAFKA_BROKERS: brokers, CAUSEWAY_BUS_SECRET: secret });
  const json = async (...args: readonly string[]): Promise<unknown> => {
    const { status, stdout, stderr } = await run(told(), ...args, '--json');
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };

  /** A message that its group sets aside at the first try, and would take at the next. */
  const setAside = async (group: string): Promise<readonly Message[]> => {
    const topic = group;
    const handled: Message[] = [];
    let tries = 0;
    let isKept = false;
    const noted = async (message: Message): Promise<void> => {
      tries += 1;
      if (tries === 1) throw new Error('cannot read this');
      handled.push(message);
    };
    const bus = kafkaTransport({
      brokers: [brokers],
      secrets: [{ id: '1', key: Buffer.from(secret, 'hex') }],
      topics: [{ name: topic, partitions: 1, retentionMs: 10 * minuteMs }],
      attemptsMax: 1,
      onDeadLetter: () => (isKept = true),
    });
    opened.push(bus);
    await bus.consume({ group, topics: [topic], events: new Map([['noted', noted]]), commands: new Map() });
    await eventually(() => expect(bus.ready()).toBe(true));
    const message = { id: randomUUID(), type: 'noted', key: 'k', data: {}, correlationId: 'r', causationId: 'c' };
    await bus.publish(topic, [message]);
    await eventually(() => expect(isKept).toBe(true));
    return handled;
  };
  const opened: ReturnType<typeof kafkaTransport>[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((bus) => bus.close())));

  const letterOf = async (group: string): Promise<Letter> => {
    const letters = (await json('dead-letters', 'list')) as readonly Letter[];
    const letter = letters.find(({ source }) => source.startsWith(group));
    if (letter === undefined) throw new Error(`${group} has no letter`);
    return letter;
  };

  test(
    'a letter is listed, shown and delivered again',
    async () => {
      const group = `spec-${randomUUID()}`;
      const handled = await setAside(group);
      const { id } = await letterOf(group);
      expect(await json('dead-letters', 'show', id)).toMatchObject({ id, attempts: 1, message: { type: 'noted' } });
      expect(await json('dead-letters', 'retry', id)).toEqual({ id, outcome: 'retried' });
      await eventually(() => expect(handled).toHaveLength(1));
    },
    timeoutMs,
  );

  test(
    'a letter is dropped, and then there is none',
    async () => {
      const group = `spec-${randomUUID()}`;
      await setAside(group);
      const { id } = await letterOf(group);
      expect(await json('dead-letters', 'drop', id)).toEqual({ id, outcome: 'dropped' });
      const again = await run(told(), 'dead-letters', 'drop', id, '--json');
      expect(again).toEqual({ status: 1, stdout: '', stderr: `causeway: there is no dead letter ${id}\n` });
    },
    timeoutMs,
  );

  test(
    'topics are made once, on the brokers that the running system wrote down',
    async () => {
      const known = [...topics.map(({ name }) => name), 'causeway.replies', 'causeway.dead-letters'];
      // A broker may know a new topic a moment later than it made it: the command then fails, and goes on when repeated.
      await eventually(async () => {
        const { made } = (await json('topics', 'ensure')) as { made: readonly string[] };
        expect(known).toEqual(expect.arrayContaining([...made]));
      });
      writeFileSync(join(dataDir, 'runtime.json'), JSON.stringify({ kafkaBrokers: brokers }));
      const { status, stdout, stderr } = await run({}, 'topics', 'ensure', '--json');
      rmSync(join(dataDir, 'runtime.json'));
      expect({ status, stderr, stdout: status === 0 && JSON.parse(stdout) }).toMatchObject({ stdout: { made: [] } });
    },
    timeoutMs,
  );

  test(
    'without brokers and without a system they say what is missing',
    async () => {
      const { status, stderr } = await run({}, 'dead-letters', 'list');
      expect([status, stderr]).toEqual([1, expect.stringContaining('no system runs in')]);
    },
    timeoutMs,
  );
});
