import { webhookDeliveriesPage, type DeliveryStatus, type WebhookDeliveryRow } from '@causeway/read-models';
import { describeWithPostgres } from '@causeway/testing';
import { createdAt, deliveryRig, endAs, scope } from '../../../testing/rig.ts';

type Row = WebhookDeliveryRow & Readonly<{ key: readonly string[] }>;

describeWithPostgres('the log of deliveries', () => {
  const { answers, pool, endpoint, tell, start, untilStates } = deliveryRig();
  const page = async (
    webhookId: string,
    { status, after, limit = 10 }: { status?: DeliveryStatus; after?: readonly string[]; limit?: number } = {},
    owner: Readonly<{ organization: string; environment: string }> = scope,
  ): Promise<readonly Row[]> => {
    const { text, values } = webhookDeliveriesPage(owner, { webhookId, status }, { limit, after });
    return (await pool().query<Row>(text, [...values])).rows;
  };
  const idsOf = (rows: readonly Row[]) => rows.map(({ eventId }) => eventId);

  test('tells of each delivery how its attempts ended', async () => {
    answers.set('bad', endAs(500));
    const id = await endpoint('bad');
    await tell(id, 'c-1', 'evt_a');
    start([10]);
    await untilStates(['exhausted', 2]);
    const attempt = { at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), statusCode: 500, error: null };
    expect(await page(id)).toEqual([
      {
        ...{ ...scope, webhookId: id, eventId: 'evt_a', type: 'test', createdAt, status: 'exhausted' },
        ...{ nextAttemptAt: null, key: expect.any(Array) },
        attempts: [attempt, attempt].map((one) => ({ ...one, durationMs: expect.any(Number) })),
      },
    ]);
  });

  test('of one that waits it tells when it is tried next, and that nothing was tried yet', async () => {
    const id = await endpoint('ok');
    await tell(id);
    expect(await page(id)).toMatchObject([
      { status: 'pending', attempts: [], nextAttemptAt: expect.stringMatching(/Z$/) },
    ]);
  });

  test('has the newest first, page by page, of one registration and of its owner alone', async () => {
    const [id, other] = [await endpoint('ok'), await endpoint('ok')];
    for (const event of ['evt_1', 'evt_2', 'evt_3']) await tell(id, 'c-1', event);
    await tell(other, 'c-1', 'evt_4');
    await pool().query(
      `UPDATE webhooks.delivery SET created_at = created_at + interval '1 hour' WHERE notification_id = 'evt_1'`,
    );
    const first = await page(id, { limit: 1 });
    expect(idsOf(first)).toEqual(['evt_1', 'evt_3']);
    expect(idsOf(await page(id, { after: first[0]?.key ?? [] }))).toEqual(['evt_3', 'evt_2']);
    expect(await page(id, {}, { ...scope, organization: 'other' })).toEqual([]);
    expect(await page(id, {}, { ...scope, environment: 'live' })).toEqual([]);
  });

  test('is there for an inactive registration, and by status', async () => {
    const id = await endpoint('ok');
    for (const event of ['evt_1', 'evt_2', 'evt_3']) await tell(id, 'c-1', event);
    const statuses = `CASE notification_id WHEN 'evt_1' THEN 'delivered' WHEN 'evt_2' THEN 'exhausted' ELSE 'pending' END`;
    await pool().query(`UPDATE webhooks.delivery SET status = ${statuses}`);
    await pool().query('UPDATE webhooks.endpoint SET active = false');
    const pages = await Promise.all(
      (['delivered', 'exhausted', 'pending'] as const).map(async (status) => idsOf(await page(id, { status }))),
    );
    expect(pages).toEqual([['evt_1'], ['evt_2'], ['evt_3']]);
    expect(await page(id)).toHaveLength(3);
  });
});
