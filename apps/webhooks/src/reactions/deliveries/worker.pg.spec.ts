import { eventually } from '@causeway/messaging/testing';
import { describeWithPostgres } from '@causeway/testing';
import { notify } from './notify.ts';
import { causes, createdAt, deliveryRig, endAs, scope } from '../../../testing/rig.ts';

describeWithPostgres('deliveries', () => {
  const { got, answers, judged, pool, endpoint, tell, start, attempts, untilStates } = deliveryRig();

  test('what was told is delivered as soon as the worker is woken, each attempt on record', async () => {
    const worker = start([]);
    await tell(await endpoint('ok'), 'c-1', 'evt_a');
    worker.wake();
    await untilStates(['delivered', 1]);
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({ id: 'evt_a', type: 'test', createdAt, data: { subject: 'c-1' } });
    expect(await attempts()).toEqual([{ number: 1, status_code: 200, error: null }]);
  });

  test('a cause that comes twice is told once', async () => {
    const id = await endpoint('ok');
    expect(await tell(id, 'c-1', 'evt_twice')).toBe(1);
    expect(await tell(id, 'c-1', 'evt_twice')).toBe(0);
  });

  test('what was so before a registration is not told to it, however late', async () => {
    await endpoint('later');
    const before = new Date(Date.parse(createdAt) - 5000).toISOString();
    const old = { id: 'evt_old', type: 'test', createdAt: before, data: {}, ...causes, ...scope, subject: 'c-1' };
    expect(await notify(pool(), old)).toBe(0);
  });

  test('only active endpoints of the same organization and environment that want the type are told', async () => {
    const [right, foreign, live, inactive] = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(endpoint));
    await pool().query(`UPDATE webhooks.endpoint SET organization = 'other' WHERE id = $1`, [foreign]);
    await pool().query(`UPDATE webhooks.endpoint SET environment = 'live' WHERE id = $1`, [live]);
    await pool().query(`UPDATE webhooks.endpoint SET active = false WHERE id = $1`, [inactive]);
    await pool().query(`UPDATE webhooks.endpoint SET events = '{account.created}' WHERE url LIKE '%/e'`);
    await notify(pool(), { id: 'evt_all', type: 'test', createdAt, data: {}, ...causes, ...scope, subject: 'c-1' });
    const { rows } = await pool().query('SELECT endpoint_id FROM webhooks.delivery');
    expect(rows).toEqual([{ endpoint_id: right }]);
  });

  test('a failure is tried again by the schedule, under the same id and body, until it is exhausted', async () => {
    answers.set('bad', endAs(500));
    const id = await endpoint('bad');
    await tell(id);
    start([200, 100]);
    await untilStates(['exhausted', 3]);
    expect(got.map(({ attempt }) => attempt)).toEqual(['1', '2', '3']);
    expect(new Set(got.map(({ id: eventId, body }) => `${eventId} ${body}`)).size).toBe(1);
    const [first, second, third] = got.map(({ at }) => at) as [number, number, number];
    expect(second - first).toBeGreaterThan(155);
    expect(third - second).toBeGreaterThan(75);
    expect(judged.at(-1)).toMatchObject({ endpointId: id, gone: false, failingSince: expect.stringMatching(/Z$/) });
  });

  test('Retry-After holds the next attempt back', async () => {
    answers.set('busy', endAs(429, { 'retry-after': '1' }));
    await tell(await endpoint('busy'));
    start([10]);
    await eventually(() => expect(got).toHaveLength(2));
    expect((got[1]?.at ?? 0) - (got[0]?.at ?? 0)).toBeGreaterThan(990);
  });

  test('410 ends the delivery, and tells that the receiver is gone', async () => {
    answers.set('gone', endAs(410));
    const id = await endpoint('gone');
    await tell(id);
    start();
    await untilStates(['exhausted', 1]);
    expect(judged).toEqual([{ endpointId: id, ...scope, gone: true, failingSince: expect.any(String) }]);
  });

  test('one good answer ends the time for which an endpoint has failed', async () => {
    answers.set('flaky', (_, response) => response.writeHead(got.length < 3 ? 503 : 200).end());
    await tell(await endpoint('flaky'));
    start();
    await eventually(() => expect(judged).toHaveLength(3));
    expect(judged.map(({ failingSince }) => failingSince === null)).toEqual([false, false, true]);
    expect(judged[0]?.failingSince).toBe(judged[1]?.failingSince);
  });
});
