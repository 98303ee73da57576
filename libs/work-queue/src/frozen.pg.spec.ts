import { eventually } from '@causeway/messaging/testing';
import { describeWithPostgres, programOf, withRoom, type Program } from '@causeway/testing';
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueRig, schema } from './testing/rig.ts';

describeWithPostgres('a process that stands still', () => {
  const { url, put, start, rows } = queueRig();
  let program: Program;
  let child: ChildProcess;
  let said: string[];
  beforeAll(async () => {
    program = await programOf(join(import.meta.dirname, 'testing', 'worker-under-test.ts'));
  });
  beforeEach(() => {
    said = [];
    child = fork(program.path, [url(), schema]).on('message', (message: string) => said.push(message));
  });
  afterEach(() => child.kill('SIGKILL'));
  afterAll(() => program.remove());

  test('is replaced within 5 s, and does nothing more under its claims when it wakes', async () => {
    await put(...Array.from({ length: 6 }, (_, n) => ({ id: `i${n}` })));
    await eventually(() => expect(said).toHaveLength(6));
    child.kill('SIGSTOP');
    const since = performance.now();
    const done: string[] = [];
    start(async ({ id }) => (done.push(id), 'done'));
    await eventually(() => expect(done).toHaveLength(6));
    expect(performance.now() - since).toBeLessThan(withRoom(5000));
    child.kill('SIGCONT');
    await sleep(1000);
    expect(said.filter((what) => what.startsWith('done'))).toEqual([]);
  });

  test('holds up nobody, wherever it stands: amid a claim, a renewal, the end of work', async () => {
    const done = new Set<string>();
    start(async ({ id }) => (done.add(id), 'done'), 2);
    for (let round = 0; round < 4; round++) {
      const childHas = (): boolean => said.some((what) => what.includes(`r${round}-`));
      // This process may be the quicker one to take them.
      for (let put40 = 0; !childHas(); put40++) {
        await put(...Array.from({ length: 40 }, (_, n) => ({ id: `r${round}-${put40}-${n}` })));
        await sleep(200);
      }
      await sleep(97 * round);
      child.kill('SIGSTOP');
      const since = performance.now();
      await eventually(async () => expect(await rows()).toEqual([]));
      expect(performance.now() - since).toBeLessThan(withRoom(6000));
      child.kill('SIGCONT');
    }
  });
});
