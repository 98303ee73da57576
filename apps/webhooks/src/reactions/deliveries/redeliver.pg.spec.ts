import { eventually } from '@causeway/messaging/testing';
import { inTransaction } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { redeliver, redeliverSince } from './redeliver.ts';
import { createdAt, deliveryRig, endAs, hang } from '../../../testing/rig.ts';

describeWithPostgres('what is delivered again', () => {
  const { got, answers, pool, endpoint, tell, start, untilStates } = deliveryRig();
  const begin = async (path: string, event = 'evt_a') => {
    const id = await endpoint(path);
    await tell(id, 'c-1', event);
    return id;
  };

  const untilSomebodyWaits = () =>
    eventually(async () => {
      const { rows } = await pool().query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(1);
    });

  test('one that was exhausted begins its schedule anew, under the same id and body', async () => {
    answers.set('bad', endAs(500));
    const id = await begin('bad');
    const worker = start([10]);
    await untilStates(['exhausted', 2]);
    expect(await redeliver(pool(), id, 'evt_a')).toBe(1);
    worker.wake();
    await untilStates(['exhausted', 4]);
    answers.delete('bad');
    await redeliver(pool(), id, 'evt_a');
    worker.wake();
    await untilStates(['delivered', 5]);
    expect(new Set(got.map(({ body }) => body)).size).toBe(1);
    expect(got.map(({ attempt }) => attempt)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('so does one that was delivered, for a receiver that lost it', async () => {
    const id = await begin('ok');
    const worker = start();
    await untilStates(['delivered', 1]);
    expect(await redeliver(pool(), id, 'evt_a')).toBe(1);
    worker.wake();
    await untilStates(['delivered', 2]);
  });

  test('one that waits for its next attempt is tried at once', async () => {
    answers.set('later', endAs(503));
    const id = await begin('later');
    const worker = start([3_600_000]);
    await eventually(() => expect(got).toHaveLength(1));
    await untilStates(['pending', 1]);
    answers.delete('later');
    expect(await redeliver(pool(), id, 'evt_a')).toBe(1);
    worker.wake();
    await untilStates(['delivered', 2]);
  });

  test('a failure that began before ends nothing of the new schedule', async () => {
    answers.set('slow', hang);
    const id = await begin('slow');
    start([]);
    await eventually(() => expect(got).toHaveLength(1));
    expect(await redeliver(pool(), id, 'evt_a')).toBe(1);
    answers.delete('slow');
    await untilStates(['delivered', 2]);
  });

  test('since a time: all that was not delivered, and nothing older', async () => {
    const id = await endpoint('ok');
    for (const event of ['evt_old', 'evt_done', 'evt_lost', 'evt_waits']) await tell(id, event, event);
    const set = (event: string, what: string) =>
      pool().query(`UPDATE webhooks.delivery SET ${what} WHERE notification_id = $1`, [event]);
    await set('evt_old', `status = 'exhausted', created_at = created_at - interval '1 second'`);
    await set('evt_done', `status = 'delivered'`);
    await set('evt_lost', `status = 'exhausted'`);
    await set('evt_waits', `next_attempt_at = now() + interval '1 hour'`);
    expect(await redeliverSince(pool(), id, createdAt)).toBe(2);
    start();
    await eventually(() => expect(got.map((one) => one.id).sort()).toEqual(['evt_lost', 'evt_waits']));
  });

  test('many at once, in the order in which the ends of attempts are recorded', async () => {
    const id = await endpoint('ok');
    // In any other order the second comes first: by name, and by its place in the table.
    for (const event of ['evt_b', 'evt_a']) await tell(id, event, event);
    const change = `UPDATE webhooks.delivery SET attempts = attempts + 1 WHERE notification_id = $1`;
    await pool().query(change, ['evt_b']);
    const queued = await inTransaction(pool(), async (tx) => {
      await tx.query(change, ['evt_b']);
      const waiting = redeliverSince(pool(), id, createdAt);
      await untilSomebodyWaits();
      await tx.query(change, ['evt_a']);
      return { waiting };
    });
    expect(await queued.waiting).toBe(2);
  });

  test('while they begin anew the others are sent', async () => {
    const id = await endpoint('ok');
    for (const event of ['evt_a', 'evt_b']) await tell(id, event, event);
    const worker = await inTransaction(pool(), async (tx) => {
      await tx.query(`UPDATE webhooks.delivery SET attempts = 0 WHERE notification_id = 'evt_a'`);
      const started = start();
      await eventually(() => expect(got.map((one) => one.id)).toEqual(['evt_b']));
      return started;
    });
    worker.wake();
    await untilStates(['delivered', 1], ['delivered', 1]);
  });

  test('nothing of an inactive registration, of another one, or that there is not', async () => {
    const [id, other] = [await begin('ok'), await endpoint('ok')];
    expect(await redeliver(pool(), other, 'evt_a')).toBe(0);
    expect(await redeliver(pool(), id, 'evt_b')).toBe(0);
    await pool().query('UPDATE webhooks.endpoint SET active = false');
    expect(await redeliver(pool(), id, 'evt_a')).toBe(0);
    expect(await redeliverSince(pool(), id, createdAt)).toBe(0);
  });
});
