import { compare, refusals, type Ours, type Theirs } from './identity.ts';

const [a, b] = ['0a0a', '0b0b'];
const ours = (id: string | null, part: Ours['part']): Ours => ({ id, part });
const empty: Theirs = { id: null, isUsed: false };
const usedBy = (id: string | null): Theirs => ({ id, isUsed: true });
const claimedBy = (id: string): Theirs => ({ id, isUsed: false });

test.each<readonly [string, Ours, Theirs, ReturnType<typeof compare>]>([
  ['a first start, everything in one database', ours(null, null), 'here', 'new'],
  ['a first start, a part elsewhere', ours(null, null), empty, 'new'],
  ['another process was first with the main database', ours(a, null), empty, 'new'],
  ['a start that ended before the other side was written', ours(a, 'offered'), empty, 'new'],
  ['a start that ended before it knew that it was', ours(a, 'offered'), claimedBy(a), 'new'],
  ['what was offered elsewhere and stays here after all', ours(a, 'offered'), 'here', 'new'],
  ['a part that was copied over, and whose it is with it', ours(a, 'here'), usedBy(a), 'new'],
  ['every start after, in one database', ours(a, 'here'), 'here', 'known'],
  ['every start after, a part elsewhere', ours(a, 'elsewhere'), usedBy(a), 'known'],
  ['the same before anything was kept there', ours(a, 'elsewhere'), claimedBy(a), 'known'],

  ['two installations with one server', ours(b, 'elsewhere'), usedBy(a), 'of another'],
  ['two that are both new, the second', ours(b, 'offered'), claimedBy(a), 'of another'],
  ['PostgreSQL was lost', ours(null, null), usedBy(a), 'of another'],
  ['data without a word of whose', ours(null, null), usedBy(null), 'of nobody known'],
  ['that, where ours was', ours(a, 'elsewhere'), usedBy(null), 'of nobody known'],
  ['that, where ours was offered', ours(a, 'offered'), usedBy(null), 'of nobody known'],
  ['a part that was copied over, and nothing else', ours(a, 'here'), usedBy(null), 'of nobody known'],
  ['an empty server in place of ours', ours(a, 'elsewhere'), empty, 'lost'],
  ['a new place, and the part is here', ours(a, 'here'), empty, 'kept here'],
  ['the place is not told any more', ours(a, 'elsewhere'), 'here', 'left elsewhere'],
])('%s', (_, mine, theirs, outcome) => {
  expect(compare(mine, theirs)).toBe(outcome);
});

test.each(Object.entries(refusals))('%s is one sentence that names the setting', (_, say) => {
  for (const mine of [null, b]) {
    const said = say({ setting: 'CAUSEWAY_X', what: 'the data', ours: mine, theirs: a });
    expect(said).toMatch(/^CAUSEWAY_X [^.\n]+$/);
    expect(said).not.toContain('null');
  }
});
