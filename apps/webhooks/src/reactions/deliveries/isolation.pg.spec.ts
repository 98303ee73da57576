import { eventually } from '@causeway/messaging/testing';
import { describeWithPostgres, withRoom } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { claim } from './claim.ts';
import { deliveryRig, hang, timeoutMs } from '../../../testing/rig.ts';

describeWithPostgres('deliveries, side by side and cut off', () => {
  const { got, answers, pool, endpoint, tell, backlog, start, attempts, untilStates } = deliveryRig();

  test('notifications of one connection arrive in order, one at a time, where the receiver keeps up', async () => {
    let [running, most] = [0, 0];
    answers.set('slowly', (_, response) => {
      most = Math.max(most, ++running);
      setTimeout(() => (running--, response.end()), 10);
    });
    const id = await endpoint('slowly');
    for (let n = 0; n < 20; n++) await tell(id, 'c-1', `evt_order_${n}`);
    start();
    start();
    await eventually(() => expect(got).toHaveLength(20));
    expect(got.map(({ id: eventId }) => eventId)).toEqual(Array.from({ length: 20 }, (_, n) => `evt_order_${n}`));
    expect(most).toBe(1);
  });

  test('what failed is retried later and does not hold up what comes after it', async () => {
    answers.set('first-fails', (request, response) =>
      response.writeHead(request.headers['service-event-id'] === 'evt_bad' ? 500 : 200).end(),
    );
    const id = await endpoint('first-fails');
    await tell(id, 'c-1', 'evt_bad');
    await tell(id, 'c-1', 'evt_good');
    start([60_000]);
    await untilStates(['pending', 1], ['delivered', 1]);
  });

  test('one endpoint gets 4 requests at once, up to 32 while it answers, and 2 while it fails', async () => {
    const running: number[] = [];
    let open = 0;
    answers.set('hang', (_, response) => {
      running.push(++open);
      response.on('close', () => (open -= 1));
      if (running.length <= 300) setTimeout(() => response.end(), 20);
    });
    await backlog(await endpoint('hang'), 400);
    start([60_000]);
    await eventually(() => expect(running.length).toBeGreaterThanOrEqual(340));
    expect(Math.max(...running.slice(0, 4))).toBe(4);
    expect(Math.max(...running)).toBe(32);
    expect(Math.max(...running.slice(335))).toBe(2);
  });

  test('healthy endpoints do not notice that a fifth of the others hang with long backlogs', async () => {
    answers.set('hang', hang);
    for (let n = 0; n < 10; n++) await backlog(await endpoint('hang'), 500);
    const healthy = await Promise.all(Array.from({ length: 40 }, (_, n) => endpoint(`ok/${n}`)));
    const worker = start([60_000]);
    await eventually(() => expect(got.length).toBeGreaterThanOrEqual(300));

    const toldAt = new Map<string, number>();
    for (let round = 0; round < 5; round++) {
      for (const [n, id] of healthy.entries()) {
        const eventId = `evt_healthy_${round}_${n}`;
        toldAt.set(eventId, performance.now());
        await tell(id, 'c-1', eventId);
        worker.wake();
      }
    }
    const arrived = () => got.filter(({ id }) => id.startsWith('evt_healthy'));
    await eventually(() => expect(arrived()).toHaveLength(200));
    // In one queue with the others, each would wait for hundreds of deadlines of theirs.
    const delays = arrived()
      .map(({ id, at }) => at - (toldAt.get(id) ?? 0))
      .sort((a, b) => a - b);
    expect(delays[100]).toBeLessThan(withRoom(timeoutMs));
    expect(delays[190]).toBeLessThan(withRoom(2 * timeoutMs));
  });

  test('what a process had claimed when it was killed is sent by the next, once the claim has run out', async () => {
    await tell(await endpoint('ok'));
    expect((await claim(pool(), [])).claims).toHaveLength(1);
    expect(await attempts()).toEqual([{ number: 1, status_code: null, error: null }]);
    start();
    await untilStates(['delivered', 2]);
    expect(await attempts()).toEqual([
      { number: 1, status_code: null, error: null },
      { number: 2, status_code: 200, error: null },
    ]);
  });

  test('what was committed and never claimed is sent by a process that starts later', async () => {
    await tell(await endpoint('ok'));
    start();
    await untilStates(['delivered', 1]);
  });

  test('nothing is sent to an endpoint that was cancelled, an attempt under way included', async () => {
    let closed = false;
    answers.set('hang', (request) => request.socket.once('close', () => (closed = true)));
    const id = await endpoint('hang');
    for (let n = 0; n < 3; n++) await tell(id);
    const worker = start();
    await eventually(() => expect(got).toHaveLength(1));
    await pool().query('UPDATE webhooks.endpoint SET active = false WHERE id = $1', [id]);
    worker.drop(({ endpointId }) => endpointId === id);
    await eventually(() => expect(closed).toBe(true));
    await sleep(timeoutMs + 300);
    expect(got).toHaveLength(1);
  });

  test('stopping lets attempts under way end', async () => {
    answers.set('later', (_, response) => void setTimeout(() => response.end(), 200));
    await tell(await endpoint('later'));
    const worker = start();
    await eventually(() => expect(got).toHaveLength(1));
    await worker.stop();
    await untilStates(['delivered', 1]);
  });
});
