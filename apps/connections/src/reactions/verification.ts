import { BankFault } from '@causeway/bank-connectors';
import { DataKeyDestroyed } from '@causeway/data-keys';
import { isKnown, type ConnectionEvent, type Known } from '@causeway/domain/connections';
import type { Context, EventStore, Revision } from '@causeway/event-sourcing';
import { ownContext, type EventSourced } from '@causeway/service';
import type { Claim, Outcome } from '@causeway/work-queue';
import { v7 as uuidV7 } from 'uuid';
import type { Aggregates } from '../commands/aggregates.ts';
import { loginAt, type Banks } from '../commands/bank.ts';

type Parts = Banks &
  Pick<EventSourced, 'store' | 'dataKeys' | 'now' | 'log'> &
  Readonly<{
    aggregates: Aggregates;
  }>;

/** How long a bank has to say whether it lets us in. */
const loginMaxMs = 30_000;

/** Where it does not say for how long. */
const rateLimitSeconds = 10;

/** One item is one connection whose setup is said to be complete: a login shows. A bank that is away is asked again. */
export const verificationWork =
  (parts: Parts) =>
  async ({ id, throwIfLost }: Claim, signal: AbortSignal): Promise<Outcome> => {
    const { aggregates, log, now } = parts;
    const { state, revision } = await aggregates.connectionNow(id);
    if (!isKnown(state) || state.status !== 'pendingActivation' || revision === 'none') return 'done';
    const fault = await refusalOf(parts, id, state, signal);
    // Somebody waits: only a bank that has had too much of us is left alone for as long as it says.
    if (fault?.kind === 'rate_limited') return { againInMs: (fault.retryAfterSeconds ?? rateLimitSeconds) * 1000 };
    throwIfLost();
    const { loginId } = state.login;
    const command = { connectionId: id, loginId, fault: fault?.kind ?? null, runId: uuidV7(), at: now() };
    const context = await contextOf(parts.store, id, state, revision);
    const { state: after } = await aggregates.connection({ type: 'RecordLogin', ...command }, context);
    if (after.status === 'invalidConfig') {
      const { entityId } = state;
      log.warn({ connectionId: id, entityId, requestId: context.metadata.correlationId }, 'contacts are to be told');
    }
    if (after.status !== 'pendingActivation') return 'done';
    if (fault !== undefined && isKnown(after) && after.login.loginId === loginId) throw fault;
    // It was to log in with something else by then.
    return { againInMs: 0 };
  };

/** Undefined: the bank lets us in. */
const refusalOf = async (
  parts: Parts,
  connectionId: string,
  state: Known,
  signal: AbortSignal,
): Promise<BankFault | undefined> => {
  try {
    const bank = await loginAt(parts, connectionId, state);
    if (bank === undefined) return new BankFault('unavailable', 'No connector.');
    const within = AbortSignal.any([signal, AbortSignal.timeout(loginMaxMs)]);
    await bank.connector.prepare(bank.access, within);
    await bank.connector.login(bank.access, within);
    return undefined;
  } catch (error) {
    if (error instanceof BankFault) return error;
    if (error instanceof DataKeyDestroyed) return new BankFault('unavailable', 'The connection is being deleted.');
    throw error;
  }
};

/** More than is recorded of a connection while it is verified. */
const eventsMax = 64;

/** That of the request which the login follows from. */
const contextOf = async (
  store: EventStore,
  connectionId: string,
  { login: { loginId }, scope }: Known,
  revision: Revision,
): Promise<Context> => {
  const after = Math.max(-1, revision - eventsMax) as Revision;
  const tail = await store.readStream<ConnectionEvent>(`connection-${connectionId}`, { after });
  const asked = tail.find(
    ({ type, data }) => (type === 'VerificationRequested' || type === 'CredentialsStored') && data.loginId === loginId,
  );
  return asked === undefined ? ownContext(scope) : { metadata: { ...asked.metadata, causationId: asked.id } };
};
