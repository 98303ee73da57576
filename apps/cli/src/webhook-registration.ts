import { setTimeout as sleep } from 'node:timers/promises';

/** Where the interface is, and a key for it. Asked for each time: a system that was started again may be elsewhere. */
export type Interface = () => Readonly<{ baseUrl: string; key: string }>;

export type Registration = Readonly<{ id: string; secret: string; createdAt: string; active: boolean; url: string }>;

/** Tells our registrations from others. */
const mark = { listener: 'causeway webhooks listen' };
const events = ['connection.status_changed', 'transactions.sync_available', 'test'];
const pageMax = 500;

export class Unreachable extends Error {}

export const calling =
  (place: Interface) =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const { baseUrl, key } = place();
    const answer = await fetch(`${baseUrl}/v1/webhooks${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new Unreachable(`${baseUrl} does not answer`, { cause });
    });
    const text = await answer.text();
    const said = (text === '' ? {} : JSON.parse(text)) as T & Readonly<{ message?: string }>;
    if (answer.status === 503) throw new Unreachable(`${baseUrl} is not ready`);
    if (!answer.ok) throw new Error(`${method} /v1/webhooks${path} was answered ${answer.status}: ${said.message}`);
    return said;
  };

export type Call = ReturnType<typeof calling>;
type Registered = Registration & Readonly<{ metadata: Readonly<Record<string, unknown>> }>;

/** One that a listener left behind when it was killed is taken up again, with a secret that can be shown. */
const leftBehind = async (call: Call, url: string): Promise<Registered | undefined> => {
  const { data } = await call<{ data: readonly Registered[] }>('GET', `?limit=${pageMax}`);
  return data.find((one) => one.url === url && one.metadata['listener'] === mark.listener);
};

/** The registration, its secret in full; what it was not sent meanwhile is on its way. */
export const registered = async (call: Call, url: string): Promise<Registration> => {
  const left = await leftBehind(call, url);
  if (left === undefined) {
    return (await call<{ webhook: Registration }>('POST', '', { url, events, metadata: mark })).webhook;
  }
  const { webhook } = await call<{ webhook: Registration }>('POST', `/${left.id}/rotateSecret`);
  await caughtUp(call, webhook);
  return webhook;
};

/** Active, and sent all that it missed. */
const caughtUp = async (call: Call, { id, createdAt, active }: Registration): Promise<void> => {
  if (!active) await call('PATCH', `/${id}`, { active: true });
  await call('POST', `/${id}/redeliver`, { since: createdAt });
};

const lookMs = 1000;

/**
 * Looks after the registration until it is told to stop: once the system was away, or has made it inactive, what was missed
 * is sent at once and not when the schedule has come to it.
 */
export const lookAfter = async (call: Call, { id }: Registration, signal: AbortSignal): Promise<void> => {
  let wasAway = false;
  for (;;) {
    await sleep(lookMs, undefined, { signal });
    try {
      const known = await call<Registration>('GET', `/${id}`);
      if (wasAway || !known.active) await caughtUp(call, known);
      wasAway = false;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      wasAway = true;
    }
  }
};
