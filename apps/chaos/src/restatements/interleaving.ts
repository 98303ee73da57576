import { randomOf, type Random } from '@causeway/testing';

/** What happens at the bank: to the `account`-th account of the customer. */
export type Restatement = Readonly<{ scenario: string; account: number; count?: number; amountChanges?: boolean }>;

/** `sync` asks for a run and does not wait for it. */
export type Step =
  | Readonly<{ type: 'bank'; change: Restatement }>
  | Readonly<{ type: 'clock'; hours: number }>
  | Readonly<{ type: 'outage'; seconds: number }>
  | Readonly<{ type: 'sync' | 'synced' | 'feed' | 'balances' }>
  | Readonly<{ type: 'rest'; ms: number }>;

type Scenario = Readonly<{
  name: string;
  /** How often it is drawn among the others. */
  weight: number;
  countMax?: number;
  /** Rows of ours that change with each row that it changes at the bank. */
  touches: number;
  /** A row that reads otherwise and whose id does not hold may be another row: then one goes and one comes. */
  rewrites?: boolean;
}>;

/** Everything by which the sandbox bank changes its past. */
const scenarios: readonly Scenario[] = [
  { name: 'new-transactions', weight: 10, countMax: 4, touches: 1 },
  { name: 'post-pending', weight: 8, countMax: 2, touches: 1, rewrites: true },
  { name: 'cancel-pending', weight: 6, countMax: 2, touches: 1 },
  { name: 'restate-transaction', weight: 12, countMax: 4, touches: 1, rewrites: true },
  { name: 'withdraw-transaction', weight: 12, countMax: 4, touches: 1 },
  // The row that is reversed, and the one that reverses it.
  { name: 'reverse-transaction', weight: 10, countMax: 3, touches: 2 },
  { name: 'late-posting', weight: 10, countMax: 4, touches: 1 },
  { name: 'restate-balance', weight: 10, countMax: 3, touches: 0 },
  { name: 'reissue-ids', weight: 6, touches: 0 },
  { name: 'missing-ids', weight: 6, touches: 0 },
  { name: 'large-page', weight: 1, touches: 1 },
];

const deck = scenarios.flatMap((scenario) => Array.from({ length: scenario.weight }, () => scenario));
const accounts = 5;

/** How many rows may move for the `changed` rows of a scenario. `idsHold`: no row has had another id, or none. */
export const touchedBy = ({ scenario }: Restatement, changed: number, idsHold: boolean): number => {
  const known = scenarios.find(({ name }) => name === scenario);
  if (known === undefined) throw new Error(`no scenario ${scenario}`);
  return changed * (known.rewrites === true && !idsHold ? 2 : known.touches);
};

export const breaksIds = ({ scenario }: Restatement): boolean => ['reissue-ids', 'missing-ids'].includes(scenario);

const restatement = (random: Random): Restatement => {
  const { name, countMax } = random.pick(deck);
  return {
    scenario: name,
    account: random.below(accounts),
    ...(countMax === undefined ? {} : { count: 1 + random.below(countMax) }),
    ...(name === 'post-pending' ? { amountChanges: random.chance(0.5) } : {}),
  };
};

const step = (random: Random): Step => {
  const dice = random.below(100);
  if (dice < 45) return { type: 'bank', change: restatement(random) };
  if (dice < 60) return { type: 'sync' };
  if (dice < 70) return { type: 'synced' };
  if (dice < 80) return { type: 'feed' };
  if (dice < 88) return { type: 'balances' };
  if (dice < 96) return { type: 'rest', ms: random.below(300) };
  return dice < 98 ? { type: 'outage', seconds: 1 } : { type: 'clock', hours: 1 + random.below(36) };
};

const stepsMin = 10;
const stepsMore = 30;

/** The order of things that a seed stands for. */
export const interleavingOf = (seed: number): readonly Step[] => {
  const random = randomOf(seed);
  return Array.from({ length: stepsMin + random.below(stepsMore) }, () => step(random));
};
