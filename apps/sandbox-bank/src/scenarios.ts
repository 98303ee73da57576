import { nextRow, rowsOn, statesClosing, type Account } from './account.ts';
import type { Customer } from './bank.ts';
import { dayOf, type Day } from './calendar.ts';
import type { Access, Change } from './changes.ts';
import { truthOfClosing, truthOfRow, truthOfRows } from './truth.ts';
import type { Row } from './world/row.ts';

/** What a scenario is asked for. `account` is the one named, or the first checking account. */
export type Asked = Readonly<{
  customer: Customer;
  account: Account;
  /** Whether the caller chose the account: scenarios of every row otherwise take them all. */
  isAccountNamed: boolean;
  count: number | undefined;
  seconds: number;
  amountChanges: boolean;
  /** What a payment fails with. */
  code: string;
  nowMs: number;
}>;

/** `changed` is read once the changes have been made. */
export type Played = Readonly<{ changes: readonly Change[]; changed: () => Iterable<object> }>;

const lateDays = 10;
const largePageRows = 5_000;

const todayOf = ({ nowMs }: Asked): Day => dayOf(nowMs);
const of = ({ customer, account }: Asked) => ({
  connectionId: customer.connectionId,
  accountNumber: account.number,
});

const posted = (asked: Asked, rows: readonly Row[]) => () =>
  rows.map((row) => truthOfRow(asked.account, row, 'posted'));

const bookNew = (asked: Asked, day: Day, count: number): Played => {
  const rows = Array.from({ length: count }, (_, ahead) => nextRow(asked.account, day, ahead));
  return { changes: [{ type: 'rowsBooked', ...of(asked), rows }], changed: posted(asked, rows) };
};

/** A fifth more, as a tip; a cent at least. */
const withTip = (amount: number): number => amount + Math.sign(amount) * Math.max(1, Math.round(Math.abs(amount) / 5));

const postPending = (asked: Asked): Played => {
  const day = todayOf(asked);
  const pending = [...asked.account.pending.values()].slice(0, asked.count);
  const rows = pending.map((row) => ({
    ...row,
    day,
    valueDay: day,
    amount: asked.amountChanges ? withTip(row.amount) : row.amount,
  }));
  return {
    changes: rows.map((row) => ({ type: 'pendingPosted', ...of(asked), row })),
    changed: posted(asked, rows),
  };
};

const cancelPending = (asked: Asked): Played => {
  const rows = [...asked.account.pending.values()].slice(0, asked.count ?? 1);
  const changed = rows.map((row) => truthOfRow(asked.account, row, 'pending'));
  return {
    changes: rows.map(({ key }) => ({ type: 'pendingVanished', ...of(asked), key })),
    changed: () => changed,
  };
};

/** The first rows of ten days ago; where that day has too few, of the days before it. */
const lateRows = (asked: Asked, isMeant: (row: Row) => boolean = () => true): Row[] => {
  const rows: Row[] = [];
  const count = asked.count ?? 1;
  for (let day = todayOf(asked) - lateDays; day >= asked.account.history.firstDay && rows.length < count; day--)
    rows.push(
      ...rowsOn(asked.account, day)
        .filter(isMeant)
        .slice(0, count - rows.length),
    );
  return rows;
};

const corrected = (text: string): string => {
  const match = /^(.*) \(correction (\d+)\)$/.exec(text);
  return match === null ? `${text} (correction 1)` : `${match[1]} (correction ${Number(match[2]) + 1})`;
};

const restate = (asked: Asked): Played => {
  const rows = lateRows(asked).map((row) => ({
    ...row,
    amount: row.amount + Math.sign(row.amount) * (100 + (Math.abs(row.amount) % 900)),
    text: corrected(row.text),
    narrative: `${row.narrative} CORR`,
  }));
  return { changes: rows.map((row) => ({ type: 'rowRestated', ...of(asked), row })), changed: posted(asked, rows) };
};

const withdraw = (asked: Asked): Played => {
  const rows = lateRows(asked);
  return {
    changes: rows.map(({ key, day }) => ({ type: 'rowWithdrawn', ...of(asked), key, day })),
    changed: posted(asked, rows),
  };
};

/** A row is reversed once, by a row of today's; what reverses another is not reversed itself. */
const reverse = (asked: Asked): Played => {
  const { account } = asked;
  const reversed = new Set([...account.booked.values()].flat().map(({ reversalOf }) => reversalOf));
  const day = todayOf(asked);
  const rows = lateRows(asked, ({ key, reversalOf }) => reversalOf === undefined && !reversed.has(key)).map(
    (row): Row => ({
      ...row,
      ...{ key: `R${row.key}`, day, valueDay: day, amount: -row.amount, reversalOf: row.key },
      ...{ text: `Reversal of ${row.text}`, narrative: `REVERSAL ${row.narrative}` },
    }),
  );
  return { changes: [{ type: 'rowsBooked', ...of(asked), rows }], changed: posted(asked, rows) };
};

const restateBalance = (asked: Asked): Played => {
  const today = todayOf(asked);
  const days: Day[] = [];
  for (let day = today - lateDays; day >= asked.account.history.firstDay && days.length < (asked.count ?? 1); day--)
    if (statesClosing(day, today)) days.push(day);
  return {
    changes: days.map((day) => ({ type: 'closingRestated', ...of(asked), day, by: 12_34 })),
    changed: () => days.map((day) => truthOfClosing(asked.account, day)),
  };
};

const everyId =
  (type: 'idsReissued' | 'idsWithheld') =>
  (asked: Asked): Played => {
    const accounts = asked.isAccountNamed ? [asked.account] : [...asked.customer.accounts.values()];
    const { connectionId } = asked.customer;
    return {
      changes: accounts.map(({ number }) => ({ type, connectionId, accountNumber: number })),
      *changed() {
        for (const account of accounts) yield* truthOfRows(account, todayOf(asked));
      },
    };
  };

const nothing = () => [];

const outage =
  (kind: 'down' | 'slow' | 'limited') =>
  ({ customer: { connectionId }, nowMs, seconds }: Asked): Played => ({
    changes: [{ type: 'outageBegan', connectionId, kind, untilMs: nowMs + seconds * 1000 }],
    changed: nothing,
  });

const login =
  (access: Access) =>
  ({ customer: { connectionId } }: Asked): Played => ({
    changes: [{ type: 'accessChanged', connectionId, access }],
    changed: nothing,
  });

const nextAnswer =
  (fate: 'lost' | 'twice') =>
  ({ customer: { connectionId } }: Asked): Played => ({
    changes: [{ type: 'nextAnswerFated', connectionId, fate }],
    changed: nothing,
  });

const failNextPayment = ({ customer: { connectionId }, code }: Asked): Played => ({
  changes: [{ type: 'nextPaymentFails', connectionId, code }],
  changed: nothing,
});

/** What the bank can be made to do, by the name the control interface gives it. */
export const scenarios: ReadonlyMap<string, (asked: Asked) => Played> = new Map([
  ['new-transactions', (asked: Asked) => bookNew(asked, todayOf(asked), asked.count ?? 1)],
  ['large-page', (asked: Asked) => bookNew(asked, todayOf(asked), asked.count ?? largePageRows)],
  ['late-posting', (asked: Asked) => bookNew(asked, todayOf(asked) - lateDays, asked.count ?? 1)],
  ['post-pending', postPending],
  ['cancel-pending', cancelPending],
  ['restate-transaction', restate],
  ['withdraw-transaction', withdraw],
  ['reverse-transaction', reverse],
  ['restate-balance', restateBalance],
  ['reissue-ids', everyId('idsReissued')],
  ['missing-ids', everyId('idsWithheld')],
  ['slow', outage('slow')],
  ['down', outage('down')],
  ['rate-limit', outage('limited')],
  ['login-lapses', login('lapsed')],
  ['login-restored', login('open')],
  ['revoke-access', login('withdrawn')],
  ['fail-next-payment', failNextPayment],
  ['lose-next-answer', nextAnswer('lost')],
  ['duplicate-answer', nextAnswer('twice')],
]);
