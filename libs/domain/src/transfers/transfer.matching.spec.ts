import { deciderSpec } from '@causeway/event-sourcing/testing';
import {
  failed,
  completed,
  lost,
  matchedTo,
  queued,
  rematchedTo,
  returned,
  started,
  at,
  said,
} from './testing/transfers.ts';
import type { StatementRow, TransferCommand, TransferStatus } from './transfer.state.ts';
import { transfer } from './transfer.ts';

const row: StatementRow = { transactionId: 'x-1', accountId: 'a-1', transferId: null };
const other: StatementRow = { ...row, transactionId: 'x-2' };
const match = (shown: StatementRow): TransferCommand => ({
  ...{ type: 'MatchTransaction', transferId: 't-1', at },
  row: shown,
});
const rematch = (shown: StatementRow | null): TransferCommand => ({
  ...{ type: 'RematchTransaction', transferId: 't-1', at, ...said },
  row: shown,
});
const paid = [queued, started, completed];
const matched = matchedTo('x-1');
const wrongStatus = (status: TransferStatus) => ({ rejected: { code: 'wrong_status', status } }) as const;

describe('a row of the statement', () =>
  deciderSpec(transfer, {
    'is kept with the transfer': { given: paid, when: match(row), then: [matched] },
    'is proof that the money moved': { given: [queued, started, lost], when: match(row), then: [completed, matched] },
    'is kept when the money has come back': { given: [...paid, returned], when: match(row), then: [matched] },
    'is kept once': { given: [...paid, matched], when: match(other), then: [] },
    'before the order was sent is another payment’s': { given: [queued], when: match(row), then: [] },
    'of what the bank said it did not pay is not believed': {
      given: [queued, started, failed],
      when: match(row),
      then: [],
    },
    'of another account is another payment’s': { given: paid, when: match({ ...row, accountId: 'a-2' }), then: [] },
    'that is another transfer’s stays with it': { given: paid, when: match({ ...row, transferId: 't-2' }), then: [] },
    'that an operator took back is not matched again': {
      given: [...paid, matched, rematchedTo(null)],
      when: match(row),
      then: [],
    },
    'after one that was taken back may be the right one': {
      given: [...paid, matched, rematchedTo(null)],
      when: match(other),
      then: [matchedTo('x-2')],
    },
  }));

describe('an operator', () =>
  deciderSpec(transfer, {
    'takes a match back': { given: [...paid, matched], when: rematch(null), then: [rematchedTo(null)] },
    'has nothing to take back where nothing is matched': { given: paid, when: rematch(null), then: [] },
    'matches what has no row': { given: paid, when: rematch(row), then: [rematchedTo('x-1')] },
    'matches another row instead': { given: [...paid, matched], when: rematch(other), then: [rematchedTo('x-2')] },
    'matches what was taken back': {
      given: [...paid, matched, rematchedTo(null)],
      when: rematch(row),
      then: [rematchedTo('x-1')],
    },
    'says the same again without effect': { given: [...paid, matched], when: rematch(row), then: [] },
    'sees on the statement that a lost payment was made': {
      given: [queued, started, lost],
      when: rematch(row),
      then: [completed, rematchedTo('x-1')],
    },
    'sees on the statement that what counts as failed was paid': {
      given: [queued, started, failed],
      when: rematch(row),
      then: [completed, rematchedTo('x-1')],
    },
    'cannot match what was never sent': { given: [queued], when: rematch(row), then: wrongStatus('queued') },
    'cannot match a row of another account': {
      given: paid,
      when: rematch({ ...row, accountId: 'a-2' }),
      then: { rejected: { code: 'other_account' } },
    },
    'cannot match a row of another transfer': {
      given: paid,
      when: rematch({ ...row, transferId: 't-2' }),
      then: { rejected: { code: 'matched_already', transferId: 't-2' } },
    },
    'cannot match what is not there': { given: [], when: rematch(row), then: { rejected: { code: 'not_found' } } },
  }));
