import type { Day } from '../calendar.ts';
import type { Cents } from '../money.ts';
import type { Kind } from './kinds.ts';
import { drawsFrom, pick } from './random.ts';

/** One entry in the bank's books. Kept in the journal for entries that the seed does not make: add, never change. */
export type Row = Readonly<{
  /** Tells the rows of an account apart for good, whatever ids the bank gives out. */
  key: string;
  /** The booking day; for a pending row the day it was first shown. */
  day: Day;
  valueDay: Day;
  amount: Cents;
  text: string;
  narrative: string;
  rail: string;
  /** BAI type code for dollar accounts, ISO 20022 bank transaction code for euro accounts. */
  typeCode: string;
  category: string | null;
  subcategory: string | null;
  mcc: string | null;
  merchantName: string | null;
  counterpartyName: string | null;
  /** Its last four characters: the rest is nobody's business. */
  counterpartyAccount: string | null;
  customerReference: string | null;
  bankReference: string | null;
  /** The key of the row that this one takes back. */
  reversalOf?: string;
}>;

export type Kinds = readonly [Kind, ...Kind[]];

const amountOf = (kind: Kind, drawn: number): Cents => kind.sign * (kind.from + drawn);

/** The amount of the row that `drawRow` makes from the same seed, without making it. */
export const drawAmount = (kinds: Kinds, seed: number): Cents => {
  const draw = drawsFrom(seed);
  const kind = pick(draw, kinds);
  return amountOf(kind, draw(kind.below - kind.from));
};

export const drawRow = (kinds: Kinds, seed: number, place: Readonly<{ key: string; day: Day }>): Row => {
  const draw = drawsFrom(seed);
  const kind = pick(draw, kinds);
  const amount = amountOf(kind, draw(kind.below - kind.from));
  const party = pick(draw, kind.parties);
  const reference = String(100_000_000 + draw(900_000_000));
  return {
    key: place.key,
    day: place.day,
    valueDay: place.day,
    amount,
    text: kind.text(party),
    narrative: kind.narrative(party, reference, draw),
    rail: kind.rail,
    typeCode: kind.typeCode,
    category: kind.category,
    subcategory: party.subcategory,
    mcc: party.mcc,
    merchantName: kind.names === 'merchant' ? party.name : null,
    counterpartyName: kind.names === 'party' || kind.names === 'partyAndAccount' ? party.name : null,
    counterpartyAccount: kind.names === 'partyAndAccount' ? String(1000 + draw(9000)) : null,
    customerReference: kind.customerReference === null ? null : kind.customerReference(reference),
    bankReference: reference,
  };
};
