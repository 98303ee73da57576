/** What a measurement is given: how many rows to work on, how often to take both sides, and an empty database. */
export type MeasureOptions = Readonly<{ rows: number; pairs: number; databaseUrl: string }>;

/** Pairs: `ours[i]` and `baseline[i]` were taken one right after the other, the order changing from pair to pair. */
export type Measured = Readonly<{
  ours: number[];
  /** Null: the figure is one of our own alone, which is held against the target itself. */
  baseline: number[] | null;
  /** What each side worked on each time, where it is not the rows that were asked for. */
  rows?: number;
  /** Why the figures do not say what they should: then the run is void. */
  flaw?: string;
}>;

/** One line of the table: our way against the same work done by hand, on the same machine, data and PostgreSQL. */
export type Measurement = Readonly<{
  id: string;
  name: string;
  /** Of both sides, for example `events/s`. */
  unit: string;
  /** The ratio we aim for (the figure itself, where there is no baseline), and the one below which something is broken. At least, or at most where less is better. */
  target: number;
  floor: number;
  /** Set where the ratio has to stay at or below the target: a cost, not a rate. */
  lessIsBetter?: true;
  /** What ours may be at the most, whatever the baseline is. */
  oursMax?: number;
  /** Set where it runs on a Kafka broker: it is left out where none can be had. */
  needsBroker?: true;
  run(options: MeasureOptions): Promise<Measured>;
}>;

/** Takes both sides `pairs` times, alternating which goes first, so that neither gets the warmer machine. */
export const inPairs = async (
  pairs: number,
  sides: Readonly<{ ours: () => Promise<number>; baseline: () => Promise<number> }>,
): Promise<Measured & Readonly<{ baseline: number[] }>> => {
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) ours.push(await sides.ours());
    baseline.push(await sides.baseline());
    if (pair % 2 === 1) ours.push(await sides.ours());
  }
  return { ours, baseline };
};

/** Figures that come from the same runs: whichever is asked for first has them taken. */
export const takenOnce = <T>(take: (options: MeasureOptions) => Promise<T>) => {
  let taken: Promise<T> | undefined;
  return (options: MeasureOptions): Promise<T> => (taken ??= take(options));
};
