import { deleteConnection, eraseConnection, openSealed } from '@causeway/contracts';
import { describeWithPostgres } from '@causeway/testing';
import type { GatewayUnderTest } from '../../testing/gateway-under-test.ts';
import {
  connectionId,
  received,
  sealingKeys,
  startOwnedGateway,
  transfer,
  unknownId,
  webhookId,
} from '../../testing/owner.ts';

describeWithPostgres('what is answered', () => {
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    gateway = await startOwnedGateway();
  });
  afterAll(() => gateway.close());
  beforeEach(() => received.splice(0));

  test('the owner’s refusal reaches the client word for word, with the time to wait', async () => {
    const answer = await gateway.send('PUT', `/v1/connections/${connectionId}/sync`);
    expect([answer.status, answer.body['type'], answer.body['message']]).toEqual([429, 'rate_limited', 'cooling down']);
    expect(answer.headers.get('retry-after')).toBe('4');
    const conflict = await gateway.send('POST', '/v1/transfers', {
      body: transfer,
      headers: { 'idempotency-key': 'k' },
    });
    expect([conflict.status, conflict.body['details']]).toEqual([409, { transferId: unknownId }]);
  });

  test('a bug of the owner is 500 without a word of what it was', async () => {
    const answer = await gateway.send('POST', `/v1/webhooks/${webhookId}/test`);
    expect([answer.status, answer.body['type']]).toEqual([500, 'internal_error']);
    expect(answer.text).not.toMatch(/bug|Error|at /);
  });

  test.each(['/v1/accounts', `/v1/connections/${unknownId}`])('no cache keeps %s', async (path) => {
    expect((await gateway.send('GET', path)).headers.get('cache-control')).toBe('no-store');
  });

  test('a missing view fails its own route with 503 and no other', async () => {
    await gateway.pool.query('ALTER VIEW read_models.balances_v1 RENAME TO gone');
    const answer = await gateway.send('GET', '/v1/balances');
    expect([answer.status, answer.body['type'], answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect((await gateway.send('GET', '/v1/accounts')).status).toBe(200);
    await gateway.pool.query('ALTER VIEW read_models.gone RENAME TO balances_v1');
    expect((await gateway.send('GET', '/v1/balances')).status).toBe(200);
  });

  test('the request id is the caller’s where it can be one, in header, body and command', async () => {
    const body = { externalEntityId: 'acme' };
    const kept = await gateway.send('POST', '/v1/entities', { body, headers: { 'x-request-id': 'mine-1' } });
    expect([kept.status, kept.headers.get('x-request-id'), received[0]?.correlationId]).toEqual([
      201,
      'mine-1',
      'mine-1',
    ]);
    const refused = await gateway.send('GET', '/v1/nothing', { headers: { 'x-request-id': 'with space' } });
    expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(refused.body['requestId']).toBe(refused.headers.get('x-request-id'));
  });

  test('what a client wrote reaches the owner parsed, and whose it is', async () => {
    const contactEmails = ['A@b.example', 'c@d.example'];
    const answer = await gateway.send('POST', '/v1/entities', { body: { externalEntityId: 'acme', contactEmails } });
    expect(received[0]?.data).toMatchObject({ organization: 'demo', contactEmails });
    expect(answer.body).toMatchObject({ externalEntityId: 'acme', contactEmails, metadata: {} });
    expect(answer.body).not.toHaveProperty('name');
    expect(answer.body).not.toHaveProperty('organization');
  });

  test('a connection is deleted by its owner, then by the ledger', async () => {
    const answer = await gateway.send('DELETE', `/v1/connections/${connectionId}`, {
      headers: { 'x-request-id': 'r' },
    });
    expect([answer.status, answer.body]).toEqual([200, { connectionId, meta: { requestId: 'r' } }]);
    expect(received.map(({ type }) => type)).toEqual([deleteConnection.type, eraseConnection.type]);
  });

  test('credentials leave for their owner sealed, and are answered by nothing but that they are there', async () => {
    const credentials = { bankUsername: 'canary-1', bankCustomerId: null };
    const path = `/v1/connections/${connectionId}/credentials`;
    const answer = await gateway.send('PUT', path, { body: credentials });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: connectionId, kind: 'setup', setup: { credentialsPresent: true } });
    expect(JSON.stringify([received, answer.body])).not.toContain('canary-1');
    const { sealed } = received.at(-1)?.data as { sealed: string };
    expect(JSON.parse(await openSealed(sealed, sealingKeys))).toEqual({ connectionId, credentials });
  });

  test('a deletion asked for again is not found, but only once the ledger has hidden the rows', async () => {
    const answer = await gateway.send('DELETE', `/v1/connections/${connectionId}`, {
      headers: { 'x-request-id': 'again' },
    });
    expect([answer.status, answer.body['type']]).toEqual([404, 'not_found']);
    expect(received.map(({ type }) => type)).toEqual([deleteConnection.type, eraseConnection.type]);
  });

  test('a webhook’s secret is shown in full once, and masked from then on', async () => {
    const body = { url: 'https://example.com/hook', events: ['test', 'test'] };
    const created = await gateway.send('POST', '/v1/webhooks', { body });
    expect([created.status, (created.body['webhook'] as { secret: string }).secret]).toEqual([201, 'whsec_whole']);
    expect((received[0]?.data as { events: string[] }).events).toEqual(['test']);
    const read = await gateway.send('GET', `/v1/webhooks/${webhookId}`);
    expect(read.body).toMatchObject({ id: webhookId, secret: 'whsec_…wxyz', active: true, metadata: {} });
    expect((await gateway.send('DELETE', `/v1/webhooks/${webhookId}`)).status).toBe(204);
  });
});
