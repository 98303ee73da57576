import { inPairs, takenOnce, type Measured, type Measurement } from './measurement.ts';
import { percentile } from './percentile.ts';
import { withReadSides, type ReadSides } from './read-sides.ts';

const clients = 32;
const takenMs = 5000;
const tailTakenMs = 10_000;
const shareOfPeak = 0.6;
/** What lies far below its peak is answered soon, unless the machine is not ours alone. */
const rawTailMaxMs = 500;
const warmUpMs = 2000;
const places = 500;

type Urls = Readonly<{ ours: readonly string[]; baseline: readonly string[] }>;

/** The same pages for both sides: after the first row before a day, for days all over the history. */
const pagesOf = async ({ system, headers, rawUrl }: ReadSides): Promise<Urls> => {
  const ours: string[] = [];
  const baseline: string[] = [];
  for (let place = 0; place < places; place++) {
    // Days of the history in an order that jumps; 1461 days is what the rows are spread over.
    const day = new Date(Date.UTC(2022, 0, 30 + ((place * 617) % 1400))).toISOString().slice(0, 10);
    const url = `${system.baseUrl}/v1/transactions?postedDateLt=${day}`;
    const first = await fetch(`${url}&limit=1`, { headers });
    const { data, pagination } = (await first.json()) as {
      data: readonly Readonly<{ id: string; postedDate: string }>[];
      pagination: Readonly<{ nextCursor: string }>;
    };
    ours.push(`${url}&limit=100&cursor=${pagination.nextCursor}`);
    baseline.push(`${rawUrl}/list?d=${day}&k0=${data[0]?.postedDate}&k1=${data[0]?.id}`);
  }
  return { ours, baseline };
};

/** Both sides must show the same rows, or the comparison says nothing. */
const checkSame = async ({ headers }: ReadSides, { ours, baseline }: Urls): Promise<void> => {
  for (const place of [0, 250, 499]) {
    const [a, b] = await Promise.all([fetch(ours[place] as string, { headers }), fetch(baseline[place] as string)]);
    const [shown, raw] = (await Promise.all([a.json(), b.json()])) as [{ data: object[] }, { data: object[] }];
    if (JSON.stringify(shown.data) !== JSON.stringify(raw.data) || shown.data.length !== 100) {
      throw new Error(`the two sides show different rows at place ${place}`);
    }
  }
};

type Two = Readonly<Record<'rate' | 'tail', Measured>>;

/** The tail is taken at a share of what the raw server was just seen to answer at the most. */
const twoFigures = takenOnce(({ rows, pairs, databaseUrl }): Promise<Two> =>
  withReadSides({ rows, databaseUrl }, async (sides) => {
    const urls = await pagesOf(sides);
    await checkSame(sides, urls);
    const rateOf = async (side: keyof Urls, ms: number): Promise<number> => {
      const load = { kind: 'rate', urls: urls[side], headers: sides.headers, clients, ms } as const;
      const carried = await sides.carry(load);
      return (1000 * carried.count) / carried.ms;
    };
    const inPairsOf = (one: (side: keyof Urls) => Promise<number>) =>
      inPairs(pairs, { ours: () => one('ours'), baseline: () => one('baseline') });
    await rateOf('ours', warmUpMs);
    await rateOf('baseline', warmUpMs);
    const rate = await inPairsOf((side) => rateOf(side, takenMs));
    const perSecond = shareOfPeak * percentile(rate.baseline, 0.5);
    const tail = await inPairsOf(async (side) => {
      const load = { kind: 'paced', urls: urls[side], headers: sides.headers, perSecond, ms: tailTakenMs } as const;
      return (await sides.carry(load)).p99Ms;
    });
    const isBehind = Math.max(...tail.baseline) > rawTailMaxMs;
    return { rate, tail: { ...tail, ...(isBehind && { flaw: 'the raw server fell behind: something else ran' }) } };
  }),
);

export const listReadsBench: Measurement = {
  id: 'P1',
  name: 'list reads: 100 transactions a page, random cursors',
  unit: 'requests/s',
  target: 1.5,
  floor: 1.2,
  run: async (options) => (await twoFigures(options)).rate,
};

export const listTailBench: Measurement = {
  id: 'P2',
  name: "list reads at 60 % of the raw server's peak: p99 from when each was due / the raw server's",
  unit: 'ms',
  target: 1.25,
  floor: 1.6,
  lessIsBetter: true,
  run: async (options) => (await twoFigures(options)).tail,
};
