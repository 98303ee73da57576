/**
 * What text and numbers in messages are. Whoever receives a message has them checked: what is stored by them is then
 * never refused by the store.
 */

/** @format uuid */
export type Uuid = string;

/**
 * A time, with its offset.
 * @format date-time
 */
export type Timestamp = string;

/**
 * A day, without a time.
 * @format date
 */
export type Day = string;

/**
 * @asType integer
 * @minimum 0
 */
export type Count = number;
