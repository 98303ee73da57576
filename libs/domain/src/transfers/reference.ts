/** What the bank knows an attempt by. It executes one payment for each reference. */
export const referenceOf = (transferId: string, attempt: number): string =>
  attempt === 0 ? transferId : `${transferId}.${attempt}`;

/** The transfer that a reference is of, if it may be one of ours. */
export const transferOf = (reference: string): string | undefined =>
  /^([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})(\.[1-9]\d{0,5})?$/.exec(reference)?.[1];
