import { accept, assertNever, type Decider, type Decision } from '@causeway/event-sourcing';
import type { AccountDetails, AccountEvent } from './account.events.ts';
import type { Scope } from './scope.ts';

/** The bank shows the account to a sync run. */
export type AccountCommand = Readonly<{
  type: 'ObserveAccount';
  accountId: string;
  scope: Scope;
  entityId: string;
  connectionId: string;
  key: string;
  currency: string;
  details: AccountDetails;
  at: string;
}>;

export type Account = Readonly<{ details: AccountDetails | null }>;

const decide = ({ details: known }: Account, command: AccountCommand): Decision<AccountEvent, never> => {
  const { scope, entityId, connectionId, key, currency, details, at } = command;
  if (known === null) {
    const data = { ...scope, entityId, connectionId, key, currency, details, discoveredAt: at };
    return accept({ type: 'AccountDiscovered', data });
  }
  const changed = changes(known, details);
  return Object.keys(changed).length === 0
    ? accept()
    : accept({ type: 'AccountChanged', data: { details: changed, changedAt: at } });
};

const changes = (known: AccountDetails, seen: AccountDetails): Partial<AccountDetails> =>
  Object.fromEntries(Object.entries(seen).filter(([name, value]) => known[name as keyof AccountDetails] !== value));

const evolve = ({ details }: Account, event: AccountEvent): Account => {
  switch (event.type) {
    case 'AccountDiscovered':
      return { details: event.data.details };
    case 'AccountChanged':
      return { details: details && { ...details, ...event.data.details } };
    default:
      return assertNever(event);
  }
};

export const account: Decider<Account, AccountCommand, AccountEvent, never> = {
  initial: { details: null },
  decide,
  evolve,
};
