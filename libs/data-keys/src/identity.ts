/** What of an installation may lie outside its main database. */
export type PartName = 'keys' | 'events';

/**
 * What the main database says: whose it is, if it is not new, and where the part is. `offered`: elsewhere, where nothing of
 * it was kept yet.
 */
export type Ours = Readonly<{ id: string | null; part: 'here' | 'offered' | 'elsewhere' | null }>;

/** What is found where the settings say that the part is. `here`: in the main database. */
export type Theirs = 'here' | Readonly<{ id: string | null; isUsed: boolean }>;

/** Why not. */
type Refusal = 'left elsewhere' | 'kept here' | 'of another' | 'of nobody known' | 'lost';

/** `known`: as it was left. `new`: to be kept in mind, on both sides. */
export const compare = (ours: Ours, theirs: Theirs): 'known' | 'new' | Refusal => {
  if (theirs === 'here') {
    if (ours.part === 'elsewhere') return 'left elsewhere';
    return ours.part === 'here' ? 'known' : 'new';
  }
  if (theirs.id !== null) {
    if (theirs.id !== ours.id) return 'of another';
    return ours.part === 'elsewhere' ? 'known' : 'new';
  }
  if (theirs.isUsed) return 'of nobody known';
  if (ours.part === 'here') return 'kept here';
  // Of what was only offered, nothing can have been kept: whoever offered it did not come further.
  return ours.part === 'elsewhere' ? 'lost' : 'new';
};

type Told = Readonly<{
  setting: string;
  what: string;
  ours: string | null;
  theirs: string | null;
  /** The command that takes over what is not ours. */
  adopt?: string;
}>;

const takeOver = ({ adopt }: Told): string => (adopt === undefined ? '' : `; causeway ${adopt} takes it over`);

export const refusals: Readonly<Record<Refusal, (told: Told) => string>> = {
  'left elsewhere': ({ setting, what }) => `${setting} must be set: ${what} are not in CAUSEWAY_DATABASE_URL`,
  'kept here': ({ setting, what }) => `${setting} holds nothing: ${what} are in CAUSEWAY_DATABASE_URL`,
  'of another': (told) =>
    `${told.setting} belongs to the installation ${told.theirs}, and CAUSEWAY_DATABASE_URL ` +
    (told.ours === null ? 'is new' : `to ${told.ours}`) +
    takeOver(told),
  'of nobody known': (told) =>
    `${told.setting} is not new, and does not say that ${told.what} are there${takeOver(told)}`,
  lost: ({ setting, what }) => `${setting} holds nothing, and is not where ${what} were`,
};
