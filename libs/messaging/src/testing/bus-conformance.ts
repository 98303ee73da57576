import { commandRules } from './command-rules.ts';
import { eventRules } from './event-rules.ts';
import { lifecycleRules } from './lifecycle-rules.ts';
import { busSettings, type StartBus } from './harness.ts';

export type { BusSettings, StartBus, StartedBus } from './harness.ts';

/** What every transport promises. `start` makes a bus of its own for each call, with its consumers ready. */
export const busConformance = (name: string, start: StartBus): void => {
  describe(`${name} keeps the promises of a bus`, () => {
    eventRules((consumers) => start(consumers, busSettings));
    commandRules((consumers) => start(consumers, busSettings));
    lifecycleRules((consumers) => start(consumers, busSettings));
  });
};
