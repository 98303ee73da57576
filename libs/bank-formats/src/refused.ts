import type { Refusal } from './file-event.ts';

/** A reason quotes the file, whose words may be of any length. */
const reasonCharsMax = 300;

/** Leaves a parser from any depth. `readBankFile` turns it into a `refused` event; it goes no further. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.reason);
  }
}

export const refuse = (reason: string, where: Readonly<{ line?: number; offset?: number }> = {}): never => {
  throw new Refused({ reason: reason.slice(0, reasonCharsMax), ...where });
};
