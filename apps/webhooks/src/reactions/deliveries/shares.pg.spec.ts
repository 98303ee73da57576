import { describeWithPostgres } from '@causeway/testing';
import { claim, lateMs, type Claimed } from './claim.ts';
import { record, type Result } from './results.ts';
import { deliveryRig, scope } from '../../../testing/rig.ts';

describeWithPostgres('shares of what is sent', () => {
  const { pool, endpoint, backlog } = deliveryRig();
  const room = async (id: string): Promise<readonly object[]> =>
    (await pool().query<{ room: number }>('SELECT room FROM webhooks.endpoint WHERE id = $1', [id])).rows;
  const answered = (claimed: Claimed, durationMs: number): Result => {
    const outcome = { kind: 'answered', statusCode: 200, retryAfterMs: undefined } as const;
    return { claimed, outcome, step: { kind: 'delivered' }, durationMs };
  };

  test('a receiver that answers late goes to the slow lane, and back once it answers in time', async () => {
    const id = await endpoint('late');
    await backlog(id, 20);
    const { claims } = await claim(pool(), []);
    expect(claims.map(({ slow }) => slow)).toEqual([false, false, false, false]);
    const [first, second, third, fourth] = claims as [Claimed, Claimed, Claimed, Claimed];
    await record(pool(), [answered(first, 10)]);
    expect(await room(id)).toEqual([{ room: 8 }]);
    await record(pool(), [answered(second, lateMs + 1)]);
    expect(await room(id)).toEqual([{ room: 2 }]);
    await record(pool(), [answered(third, 10)]);
    await record(pool(), [answered(fourth, 10)]);
    expect(await room(id)).toEqual([{ room: 8 }]);
    await pool().query('UPDATE webhooks.endpoint SET room = 2');
    expect((await claim(pool(), [])).claims.map(({ slow }) => slow)).toEqual([true, true]);
  });

  test('an organization fills three quarters of a lane, and what is under way for long counts to the slow one', async () => {
    for (let n = 0; n < 30; n++) await backlog(await endpoint('mine'), 32);
    await pool().query('UPDATE webhooks.endpoint SET room = 32');
    const inHand: Claimed[] = [];
    const claimAll = async (): Promise<number> => {
      for (let n = 0; n < 4; n++) inHand.push(...(await claim(pool(), inHand)).claims);
      return inHand.length;
    };
    // Half of that to one host, however many webhooks it has.
    expect(await claimAll()).toBe(192);
    await pool().query(`UPDATE webhooks.endpoint SET url = format('https://%s.example/mine', id)`);
    expect(await claimAll()).toBe(384);
    await backlog(await endpoint('theirs'), 10);
    await pool().query(`UPDATE webhooks.endpoint SET organization = 'other', room = 32 WHERE url LIKE '%theirs'`);
    const theirs = (await claim(pool(), inHand)).claims;
    expect(theirs.map(({ organization }) => organization)).toEqual(Array(10).fill('other'));
    const aged = inHand.map((claimed) => ({ ...claimed, claimedAtMs: claimed.claimedAtMs - lateMs - 1000 }));
    expect((await claim(pool(), aged)).claims[0]).toMatchObject({ slow: false, ...scope });
  });

  test('what rests is not due, and says for how long it is not', async () => {
    await backlog(await endpoint('ok'), 3);
    await pool().query(`UPDATE webhooks.delivery SET next_attempt_at = now() + interval '10 seconds'`);
    const { claims, nextInMs } = await claim(pool(), []);
    expect(claims).toEqual([]);
    expect(nextInMs).toBeGreaterThan(8000);
  });

  test('a claim dated into the future by a clock that was set back since holds nothing up', async () => {
    await backlog(await endpoint('ok'), 1);
    await pool().query(`UPDATE webhooks.delivery SET attempts = 1, claimed_until = now() + interval '1 hour'`);
    expect((await claim(pool(), [])).claims).toMatchObject([{ attempt: 2 }]);
  });
});
