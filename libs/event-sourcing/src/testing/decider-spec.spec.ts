import { accept, reject, type Decider } from '../decider.ts';
import { deciderSpec } from './decider-spec.ts';

type Opened = Readonly<{ type: 'Opened'; data: { by: string } }>;
type Taken = Readonly<{ code: 'taken'; by: string }>;

const door: Decider<string | null, { by: string }, Opened, Taken> = {
  initial: null,
  decide(by, command) {
    if (by === null) return accept({ type: 'Opened', data: { by: command.by } });
    return by === command.by ? accept<Opened>() : reject({ code: 'taken', by });
  },
  evolve: (_, event) => event.data.by,
};
const opened = (by: string): Opened => ({ type: 'Opened', data: { by } });

describe('a table of rules', () => {
  deciderSpec(door, {
    'a closed door opens': { given: [], when: { by: 'a' }, then: [opened('a')] },
    'who opened it may ask again': { given: [opened('a')], when: { by: 'a' }, then: [] },
    'another is turned away': {
      given: [opened('a')],
      when: { by: 'b' },
      then: { rejected: { code: 'taken', by: 'a' } },
    },
  });
});
