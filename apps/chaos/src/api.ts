import { setTimeout as sleep } from 'node:timers/promises';

export type Json = Readonly<Record<string, unknown>>;
export type Answer = Readonly<{ status: number; body: Json; headers: Headers }>;
export type Call = Readonly<{ method?: string; body?: object; headers?: Readonly<Record<string, string>> }>;

const callTimeoutMs = 15_000;
const retryPauseMs = 150;

/**
 * One organization's client. `undefined`: no answer came, so nobody can say what happened. A 5xx is handed out like any
 * other answer; only 503 is expected, while the database is away.
 */
export type Api = Readonly<{
  call(path: string, call?: Call): Promise<Answer | undefined>;
  /** The same request until it is answered with something else than a 5xx or 429: what a careful client does. */
  insist(path: string, call: Call, signal: AbortSignal): Promise<Answer | undefined>;
}>;

/** Hears of every answer; undefined: none came. */
export type Heard = (request: string, answer: Answer | undefined) => void;

export const apiOf = (baseUrl: string, key: string, heard: Heard = () => undefined): Api => {
  const ask: Api['call'] = async (path, { method = 'GET', body, headers = {} } = {}) => {
    try {
      const answer = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(callTimeoutMs),
      });
      const text = await answer.text();
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Json, headers: answer.headers };
    } catch {
      return undefined;
    }
  };
  const call: Api['call'] = async (path, request) => {
    const answer = await ask(path, request);
    heard(`${request?.method ?? 'GET'} ${path}`, answer);
    return answer;
  };
  const insist: Api['insist'] = async (path, request, signal) => {
    while (!signal.aborted) {
      const answer = await call(path, request);
      if (answer !== undefined && answer.status < 500 && answer.status !== 429) return answer;
      await sleep(retryPauseMs);
    }
    return undefined;
  };
  return { call, insist };
};

/** Every page of a list. Throws when one is not answered: only for a system that is up. */
export const everyRow = async (api: Api, path: string): Promise<Json[]> => {
  const rows: Json[] = [];
  for (let cursor: string | null = null; ;) {
    const next: string = cursor === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
    const answer = await api.call(`${path}${next}`);
    if (answer?.status !== 200)
      throw new Error(`${path}: ${answer?.status ?? 'no answer'} ${JSON.stringify(answer?.body)}`);
    rows.push(...(answer.body['data'] as Json[]));
    const page = answer.body['pagination'] as { hasMore: boolean; nextCursor: string | null };
    if (!page.hasMore) return rows;
    cursor = page.nextCursor;
  }
};

/** The bank's control interface; not part of the system under test, so a refusal here is the driver's fault. */
export const bankControl = (bankUrl: string) => ({
  /** How many rows or balances it changed; undefined: the bank was away. */
  scenario: async (connectionId: string, scenario: string, body: object = {}): Promise<number | undefined> =>
    fetch(`${bankUrl}/control/connections/${connectionId}/scenarios/${scenario}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
      .then(async (answer) => ((await answer.json()) as { changed?: unknown[] }).changed?.length)
      .catch(() => undefined),
  advance: async (hours: number): Promise<void> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ hours }) };
    await fetch(`${bankUrl}/control/clock/advance`, init).then((answer) => answer.text());
  },
  /** How far its clock was moved ahead. */
  aheadSeconds: async (): Promise<number> =>
    ((await (await fetch(`${bankUrl}/control/clock`)).json()) as { aheadSeconds: number }).aheadSeconds,
  /** What the approver says to a payment in the bank's portal. */
  decide: async (reference: string, word: 'approve' | 'decline'): Promise<void> => {
    await fetch(`${bankUrl}/control/payments/${reference}/${word}`, { method: 'POST' })
      .then((answer) => answer.text())
      .catch(() => undefined);
  },
  truth: async (connectionId: string): Promise<Truth> => {
    const answer = await fetch(`${bankUrl}/control/connections/${connectionId}`);
    if (answer.status !== 200) throw new Error(`the bank does not know ${connectionId}: ${answer.status}`);
    return (await answer.json()) as Truth;
  },
});

export type BankControl = ReturnType<typeof bankControl>;

export type Truth = Readonly<{
  accounts: readonly Readonly<{ number: string; ledgerBalance: string }>[];
  transactions: readonly Readonly<{
    accountNumber: string;
    status: string;
    postedDate: string | null;
    amount: string;
    currency: string;
    description: string;
  }>[];
  closingBalances: readonly Readonly<{ accountNumber: string; date: string; amount: string }>[];
  payments: readonly Readonly<{ reference: string; amount: string; status: string }>[];
}>;
