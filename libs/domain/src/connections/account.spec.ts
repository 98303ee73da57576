import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { AccountDetails, AccountEvent } from './account.events.ts';
import { account, type AccountCommand } from './account.ts';

const at = '2026-03-01T10:00:00.000Z';
const details: AccountDetails = {
  type: 'checking',
  name: 'Operating',
  officialName: null,
  status: 'open',
  number: '1234567890',
  routingNumber: '021000021',
  swiftBic: null,
  currentBalance: '100.00',
  availableBalance: '90.00',
  balanceAsOf: at,
};
const owner = { entityId: 'e-1', connectionId: 'c-1', key: 'bank|1234567890|USD', currency: 'USD' };
const observe = (seen: AccountDetails): AccountCommand => ({
  type: 'ObserveAccount',
  accountId: 'a-1',
  scope: { organization: 'demo', environment: 'test' },
  ...owner,
  details: seen,
  at,
});
const discovered: AccountEvent = {
  type: 'AccountDiscovered',
  data: { organization: 'demo', environment: 'test', ...owner, details, discoveredAt: at },
};
const changed = (change: Partial<AccountDetails>): AccountEvent => ({
  type: 'AccountChanged',
  data: { details: change, changedAt: at },
});

deciderSpec(account, {
  'an account is discovered when the bank first shows it': { given: [], when: observe(details), then: [discovered] },
  'an account shown again as it was records nothing': { given: [discovered], when: observe(details), then: [] },
  'only what changed is recorded': {
    given: [discovered],
    when: observe({ ...details, currentBalance: '80.00', status: 'closed' }),
    then: [changed({ currentBalance: '80.00', status: 'closed' })],
  },
  'what the bank no longer says is a change': {
    given: [discovered],
    when: observe({ ...details, availableBalance: null }),
    then: [changed({ availableBalance: null })],
  },
  'a change is compared with the newest state': {
    given: [discovered, changed({ currentBalance: '80.00' })],
    when: observe({ ...details, currentBalance: '80.00' }),
    then: [],
  },
});
