import { openMetrics, type Figures } from './metrics.ts';

const figures: Figures = {
  events: 660,
  projections: [
    { name: 'balances', version: 2, position: 600, lagEvents: 60, lagSeconds: 0.5, parked: [] },
    {
      ...{ name: 'transactions', version: 1, position: 10, lagEvents: 650, lagSeconds: 9, parked: [{}, {}] },
      verified: { askedAt: 1_767_225_600.5, outcome: 'different', differing: 3 },
    },
  ],
  walks: [{ name: 'relay', position: 650, lag: 10 }],
};
const unknown = (): Promise<never> => Promise.reject(new Error('the database is away'));

describe('metrics', () => {
  test('tell how far behind the loops of a service are', async () => {
    const text = await openMetrics('ledger').text(async () => figures);
    expect(text).toContain('causeway_events{service="ledger"} 660');
    expect(text).toContain('causeway_projection_lag_events{projection="balances",version="2",service="ledger"} 60');
    expect(text).toContain('causeway_parked_streams{projection="balances",version="2",service="ledger"} 0');
    expect(text).toContain('causeway_parked_streams{projection="transactions",version="1",service="ledger"} 2');
    expect(text).toContain('causeway_relay_lag_events{name="relay",service="ledger"} 10');
  });

  test('tell when rows were last compared with the events, and how many were others', async () => {
    const text = await openMetrics('ledger').text(async () => figures);
    const of = 'projection="transactions",version="1"';
    expect(text).toContain(`causeway_projection_differing_rows{${of},service="ledger"} 3`);
    expect(text).toContain(
      `causeway_projection_verified_seconds{${of},outcome="different",service="ledger"} 1767225600.5`,
    );
    expect(text).not.toContain('causeway_projection_differing_rows{projection="balances"');
  });

  test('tell how many connections have which status, where somebody knows', async () => {
    const metrics = openMetrics('connections');
    const text = await metrics.text(async () => ({ ...figures, connections: { active: 7, invalidConfig: 2 } }));
    expect(text).toContain('causeway_connections{status="invalidConfig",service="connections"} 2');
    expect(await metrics.text(async () => ({ ...figures, connections: { active: 9 } }))).not.toContain('invalidConfig');
  });

  test('tell how many days do not add up, once they are counted', async () => {
    const metrics = openMetrics('ledger');
    const text = await metrics.text(async () => ({ ...figures, balanceDiscrepancies: 2 }));
    expect(text).toContain('causeway_balance_discrepancies{service="ledger"} 2');
    expect(await metrics.text(async () => figures)).not.toContain('causeway_balance_discrepancies{');
  });

  test('of what cannot be known now tell nothing, rather than what was once', async () => {
    const metrics = openMetrics('ledger');
    await metrics.text(async () => figures);
    const text = await metrics.text(unknown);
    expect(text).toContain('causeway_figures_up{service="ledger"} 0');
    expect(text).not.toMatch(/^causeway_(events|projection_\w+|parked_\w+|relay_\w+)\{/m);
  });

  test('time requests by route, and messages by type and outcome', async () => {
    const metrics = openMetrics('gateway');
    metrics.answered({ method: 'GET', route: '/v1/accounts/:id', status: 404 }, 0.02);
    metrics.handled('ledger.erase-connection.v1', 'refused', 0.2);
    metrics.published('causeway.gateway.events', 3);
    metrics.setAside('causeway.gateway.events', 'key-revoked.v1');
    const text = await metrics.text(unknown);
    const request = 'method="GET",route="/v1/accounts/:id",status="404"';
    expect(text).toContain(`causeway_http_request_seconds_bucket{le="0.025",service="gateway",${request}} 1`);
    expect(text).toContain('{service="gateway",type="ledger.erase-connection.v1",outcome="refused"} 1');
    expect(text).toContain('causeway_messages_published_total{topic="causeway.gateway.events",service="gateway"} 3');
    const letters = 'topic="causeway.gateway.events",type="key-revoked.v1"';
    expect(text).toContain(`causeway_dead_letters_total{${letters},service="gateway"} 1`);
  });

  test('of the process are told when asked for', async () => {
    const metrics = openMetrics('gateway');
    expect(await metrics.text(unknown)).not.toContain('nodejs_eventloop_lag_seconds');
    metrics.watchProcess();
    expect(await metrics.text(unknown)).toContain('nodejs_eventloop_lag_seconds{service="gateway"}');
  });
});
