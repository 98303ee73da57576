import { pause } from '@causeway/concurrency';
import { invalidRequest, problems, Refused } from '@causeway/http';
import { progressOf, type DatedModel, type Progress } from '@causeway/read-models';
import type { Reads } from './reads.ts';

/** For so long a read model that is behind is waited for. */
const waitMaxMs = 2000;
const lookEveryMs = 25;

/** Microseconds since 1970. */
const microsOf = (timestamp: string): number => {
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? '';
  return Date.parse(timestamp.replace(/\.\d+/, '')) * 1000 + Number(fraction.padEnd(6, '0'));
};

/** Up to which instant the rows hold everything that was, or can still be, recorded by then. */
const settledUpTo = ({ position, recordedAt, head, knownUntil }: Progress): number =>
  position >= head ? knownUntil : recordedAt;

/** Resolves once the answer to what was at an instant is the same for ever. An instant to come is refused. */
export type AsOf = (model: DatedModel, instant: string | undefined) => Promise<void>;

export const asOfReads = (reads: Reads): AsOf => {
  /** What is settled stays so: pages of one past ask once. */
  const settled = new Map<DatedModel, number>();

  const look = async (model: DatedModel, wanted: number): Promise<boolean> => {
    const progress = await reads.row<Progress>(progressOf(model));
    if (progress === undefined) return false;
    if (wanted > progress.knownUntil) throw new Refused(invalidRequest([{ path: 'asOf', message: 'is yet to come' }]));
    settled.set(model, Math.max(settled.get(model) ?? 0, settledUpTo(progress)));
    return (settled.get(model) ?? 0) >= wanted;
  };

  return async (model, instant) => {
    if (instant === undefined) return;
    const wanted = microsOf(instant);
    if (wanted <= (settled.get(model) ?? -Infinity)) return;
    const deadline = performance.now() + waitMaxMs;
    while (!(await look(model, wanted))) {
      if (performance.now() > deadline) throw new Refused(problems.unavailable);
      await pause(lookEveryMs);
    }
  };
};
