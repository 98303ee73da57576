import {
  connectionsEvents,
  oneTimeKey,
  redeliverEvent,
  redeliverSince,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '@causeway/contracts';
import { eventually } from '@causeway/messaging/testing';
import { describeWithPostgres } from '@causeway/testing';
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { scope, serviceUnderTest, type Got } from '../../testing/service-under-test.ts';

const notFound = { ok: false, problem: { status: 404 } };
const conflict = { ok: false, problem: { status: 409, type: 'conflict' } };

/** As the contract says, over all that the header carries. */
const verified = (secret: string, { headers, body }: Got): boolean => {
  const [t, ...signatures] = String(headers['service-signature']).split(',');
  const ours = createHmac('sha256', secret)
    .update(`${t?.slice(2)}.${body}`)
    .digest('hex');
  new Webhook(secret).verify(body, headers);
  return signatures.includes(`v1=${ours}`);
};

describeWithPostgres('a webhook that its owner changes', () => {
  const { gotAt, statuses, ask, dataOf, base, database, running, rows, register, completed } = serviceUnderTest();
  const refOf = ({ webhook }: Awaited<ReturnType<typeof register>>) => ({ ...scope, webhookId: webhook.id });
  const tell = (...changes: number[]) =>
    running().broker.publish(
      connectionsEvents,
      changes.map((n) => completed(n)),
    );
  const rotate = async (ref: ReturnType<typeof refOf>) => {
    const { publicKey: sealTo, open } = await oneTimeKey();
    const { webhook, sealedSecret } = await dataOf(rotateWebhookSecret, { ...ref, sealTo });
    return { webhook, secret: await open(sealedSecret) };
  };

  test('what is given changes, shows at once, and holds for what is sent from then on', async () => {
    const ref = refOf(await register('/before'));
    const wanted = { url: `${base()}/after`, metadata: { team: 'ops' } };
    const { webhook } = await dataOf(updateWebhook, { ...ref, ...wanted });
    expect(webhook).toMatchObject({ ...wanted, active: true, events: ['transactions.sync_available', 'test'] });
    expect(await rows()).toContainEqual(expect.objectContaining({ id: ref.webhookId, ...wanted }));
    await tell(1);
    await eventually(() => expect(gotAt('/after')).toHaveLength(1));
    expect(gotAt('/before')).toEqual([]);
    await dataOf(updateWebhook, { ...ref, active: false });
  });

  test('an address that webhooks may not reach is refused, naming the field, and nothing changes', async () => {
    const ref = refOf(await register('/kept'));
    const reply = await ask(updateWebhook, { ...ref, url: 'https://10.0.0.1/', active: false });
    expect(reply).toMatchObject({ ok: false, problem: { status: 400, details: { errors: [{ path: 'url' }] } } });
    expect(await rows()).toContainEqual(expect.objectContaining({ id: ref.webhookId, active: true }));
  });

  test('a type that it does not want any more is not sent', async () => {
    const [ref, control] = [refOf(await register('/unsubscribed')), await register('/subscribed')];
    await dataOf(updateWebhook, { ...ref, events: ['transfer.status_changed', 'account.created'] });
    await tell(1);
    await eventually(() => expect(gotAt('/subscribed')).toHaveLength(1));
    expect(gotAt('/unsubscribed')).toEqual([]);
    await dataOf(updateWebhook, { ...refOf(control), active: false });
  });

  test('while it is inactive nothing is sent; what was not delivered before is sent when it is asked for', async () => {
    statuses['/paused'] = 500;
    const ref = refOf(await register('/paused'));
    await tell(1);
    await eventually(() => expect(gotAt('/paused').length).toBeGreaterThan(0));
    await dataOf(updateWebhook, { ...ref, active: false });
    await sleep(200);
    const before = gotAt('/paused').length;
    await tell(1);
    for (const asked of [ask(testWebhook, ref), ask(redeliverSince, { ...ref, since: '2026-01-01T00:00:00Z' })]) {
      expect(await asked).toMatchObject(conflict);
    }
    expect(await ask(redeliverEvent, { ...ref, eventId: 'evt_1' })).toMatchObject(conflict);
    expect(gotAt('/paused')).toHaveLength(before);
    statuses['/paused'] = 200;
    await dataOf(updateWebhook, { ...ref, active: true });
    expect(await dataOf(redeliverSince, { ...ref, since: '2026-01-01T00:00:00Z' })).toEqual({ queued: 1 });
    await eventually(() => expect(gotAt('/paused')).toHaveLength(before + 1));
    const eventId = gotAt('/paused')[0]?.headers['service-event-id'] ?? '';
    expect(await dataOf(redeliverEvent, { ...ref, eventId })).toEqual({ queued: 1 });
    await eventually(() => expect(gotAt('/paused')).toHaveLength(before + 2));
    expect(await ask(redeliverEvent, { ...ref, eventId: 'evt_none' })).toMatchObject(notFound);
    await dataOf(updateWebhook, { ...ref, active: false });
  });

  test('the time for which it failed ends when it is made active again', async () => {
    const ref = refOf(await register('/failing'));
    const failing = `UPDATE webhooks.endpoint SET failing_since = now() - interval '9 days' WHERE id = $1`;
    await database().pool.query(failing, [ref.webhookId]);
    for (const active of [false, true]) await dataOf(updateWebhook, { ...ref, active });
    const { rows: known } = await database().pool.query<object>(
      'SELECT active, failing_since FROM webhooks.endpoint WHERE id = $1',
      [ref.webhookId],
    );
    expect(known).toEqual([{ active: true, failing_since: null }]);
    await dataOf(updateWebhook, { ...ref, active: false });
  });

  test('over a rotation every delivery is verified by the secret that its receiver has', async () => {
    const registered = await register('/rotated');
    const ref = refOf(registered);
    const syncs = Array.from({ length: 500 }, () => completed(1, randomUUID()));
    const flood = (async () => {
      while (syncs.length > 0) await running().broker.publish(connectionsEvents, syncs.splice(-25));
    })();
    await eventually(() => expect(gotAt('/rotated').length).toBeGreaterThan(50));
    const { webhook, secret } = await rotate(ref);
    const known = gotAt('/rotated').length;
    expect(webhook.secretHint).toBe(secret.slice(-4));
    await flood;
    await eventually(() => expect(gotAt('/rotated')).toHaveLength(500));
    expect(known).toBeLessThan(500);
    expect(gotAt('/rotated').every((one) => verified(registered.secret, one))).toBe(true);
    expect(
      gotAt('/rotated')
        .slice(known)
        .every((one) => verified(secret, one)),
    ).toBe(true);
    await dataOf(updateWebhook, { ...ref, active: false });
  });

  test('a day after a rotation the old secret signs no more', async () => {
    const registered = await register('/day-after');
    const ref = refOf(registered);
    const { secret } = await rotate(ref);
    const ended = `UPDATE webhooks.endpoint SET old_secrets = jsonb_set(old_secrets, '{0,until}', '"2026-01-01T00:00:00Z"')`;
    await database().pool.query(`${ended} WHERE id = $1`, [ref.webhookId]);
    await tell(1);
    await eventually(() => expect(gotAt('/day-after')).toHaveLength(1));
    const [one] = gotAt('/day-after') as [Got];
    expect(verified(secret, one)).toBe(true);
    expect(() => verified(registered.secret, one)).toThrow();
  });

  test('of another organization it is unknown', async () => {
    const ref = { ...refOf(await register('/foreign')), organization: 'other' };
    expect(await ask(updateWebhook, { ...ref, active: false })).toMatchObject(notFound);
    expect(await ask(rotateWebhookSecret, { ...ref, sealTo: '' })).toMatchObject(notFound);
    expect(await ask(redeliverEvent, { ...ref, eventId: 'evt_1' })).toMatchObject(notFound);
    expect(await ask(redeliverSince, { ...ref, since: '2026-01-01T00:00:00Z' })).toMatchObject(notFound);
  });
});
