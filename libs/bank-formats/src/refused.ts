import type { Refusal } from './file-event.ts';

/** Leaves a parser from any depth. `readBankFile` turns it into a `refused` event; it goes no further. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.reason);
  }
}

export const refuse = (reason: string, where: Readonly<{ line?: number; offset?: number }> = {}): never => {
  throw new Refused({ reason, ...where });
};
