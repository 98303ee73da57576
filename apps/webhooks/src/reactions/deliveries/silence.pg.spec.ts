import { eventually } from '@causeway/messaging/testing';
import { describeWithPostgres, programOf, withRoom, type Program } from '@causeway/testing';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clearEndpoint } from '../endpoints.ts';
import { deliveryRig, hang } from '../../../testing/rig.ts';

/** What a claim lasts, and a look. */
const silentWithinMs = 5000;

describeWithPostgres('an endpoint that was deleted', () => {
  const { got, answers, pool, url, port, endpoint, tell, start } = deliveryRig();
  const children: ChildProcess[] = [];
  let program: Program;
  beforeAll(async () => {
    program = await programOf(join(import.meta.dirname, '../../../testing/deliveries-under-test.ts'));
  });
  afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));
  afterAll(() => program.remove());

  const startProcess = (): ChildProcess => {
    const child = fork(program.path, [url(), String(port())]);
    children.push(child);
    return child;
  };
  const deleted = async (id: string): Promise<number> => {
    const since = performance.now();
    await pool().query('UPDATE webhooks.endpoint SET active = false WHERE id = $1', [id]);
    await clearEndpoint(pool(), id);
    return performance.now() - since;
  };
  const left = async () => (await pool().query('SELECT FROM webhooks.delivery')).rowCount;

  test('is sent nothing more by any process, attempts under way included', async () => {
    let open = 0;
    answers.set('hang', (request) => {
      open += 1;
      request.socket.once('close', () => (open -= 1));
    });
    const id = await endpoint('hang');
    for (let n = 0; n < 6; n++) await tell(id, `c-${n}`);
    start();
    start();
    await eventually(() => expect(open).toBeGreaterThan(0));
    expect(await deleted(id)).toBeLessThan(withRoom(silentWithinMs));
    const before = got.length;
    await eventually(() => expect(open).toBe(0));
    await sleep(1500);
    expect([got.length, await left()]).toEqual([before, 0]);
  });

  test('is sent nothing by a process that stood still meanwhile, and is not waited for', async () => {
    const child = startProcess();
    const id = await endpoint('ok');
    const said = once(child, 'message');
    await tell(id);
    await said;
    child.kill('SIGSTOP');
    expect(await deleted(id)).toBeLessThan(withRoom(silentWithinMs));
    child.kill('SIGCONT');
    await sleep(2000);
    expect([got.length, await left()]).toEqual([0, 0]);
  });

  test('others send what a process that stands still has in hand, within 5 s', async () => {
    answers.set('ok', hang);
    const child = startProcess();
    const id = await endpoint('ok');
    const said = once(child, 'message');
    await tell(id);
    await said;
    child.kill('SIGSTOP');
    const since = performance.now();
    start();
    await eventually(() => expect(got).toHaveLength(1));
    expect(performance.now() - since).toBeLessThan(withRoom(silentWithinMs));
    child.kill('SIGCONT');
    await sleep(1500);
    expect(got.filter(({ attempt }) => attempt === '1')).toEqual([]);
  });
});
