/**
 * What one file may hold. Each is far above what banks send and keeps a hostile file from costing more than its size.
 * Sizes in bytes of the unpacked file or in UTF-16 units of its text.
 */
export const unpackedBytesMax = 256 * 1024 * 1024;
export const lineBytesMax = 1024 * 1024;
export const statementsMax = 100_000;
/** Accounts of one file, which are told before its rows are. */
export const accountsMax = 10_000;
/** Closing balances of one file: each is a day of an account. */
export const closingsMax = 100_000;
export const entriesMax = 2_000_000;
/** An entry's record travels in one part of a page: 512 KiB of JSON, in which a character may take six bytes. */
export const recordCharsMax = 64 * 1024;
/** A batch keeps the details that begin within this; the row on the account is one, however many there are. */
export const batchDetailsCharsMax = 32 * 1024;

/** Elements within elements; camt needs about 15. */
export const xmlDepthMax = 64;
/** One text, attribute, comment or instruction. The longest of ISO 20022 has 20,000 characters (remittance data). */
export const xmlTextCharsMax = 64 * 1024;
/** Of one tag, from its `<`; camt writes one attribute, and a root a handful of namespaces. */
export const xmlAttributesMax = 64;
export const xmlTagCharsMax = 64 * 1024;
/** An entry as it stands in the file. A batch of 10,000 payments is about half of it. */
export const xmlEntryCharsMax = 16 * 1024 * 1024;
/** Elements kept of an account, a balance or an entry. */
export const xmlNodesMax = 20_000;
/** Balances of one statement; ISO 20022 knows a dozen kinds, and forward ones repeat by day. */
export const balancesMax = 1_000;
/** In front of the point. More than any account holds; sums of as many entries as a file may have stay computable. */
export const integerDigitsMax = 20;
/** The number of a statement; ISO 20022 allows 35 characters. */
export const statementIdCharsMax = 256;
/** An anomaly quotes the file. */
export const anomalyCharsMax = 300;
/** An IBAN has 34, the longest other number in use about 40. */
export const accountNumberCharsMax = 64;
