import { describeWithPostgres } from '@causeway/testing';
import { forgetOld, keptDays } from './retention.ts';
import { deliveryRig } from '../../../testing/rig.ts';

describeWithPostgres('what was sent long ago', () => {
  const { pool, endpoint, tell } = deliveryRig();
  const age = (id: string, days: number, status: string) =>
    pool().query(
      `WITH aged AS (UPDATE webhooks.notification SET created_at = now() - $2 * interval '1 day' WHERE id = $1)
       UPDATE webhooks.delivery SET status = $3 WHERE notification_id = $1`,
      [id, days, status],
    );
  const ids = async (table: string, column: string) =>
    (await pool().query<Record<string, string>>(`SELECT ${column} FROM webhooks.${table} ORDER BY 1`)).rows.map(
      (row) => row[column],
    );

  test('is forgotten with its deliveries, unless one of them is still pending', async () => {
    const id = await endpoint('ok');
    for (const name of ['evt_old', 'evt_pending', 'evt_recent']) await tell(id, 'c-1', name);
    await age('evt_old', keptDays + 1, 'delivered');
    await age('evt_pending', keptDays + 1, 'pending');
    await age('evt_recent', keptDays - 1, 'exhausted');
    expect(await forgetOld(pool())).toBe(1);
    expect(await ids('notification', 'id')).toEqual(['evt_pending', 'evt_recent']);
    expect(await ids('delivery', 'notification_id')).toEqual(['evt_pending', 'evt_recent']);
  });
});
