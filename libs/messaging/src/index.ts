export { copyOf } from './message.ts';
export type { Message, Problem, Reply } from './message.ts';
export { BusClosed, CommandFailed, DeadlineExceeded } from './bus.ts';
export type { Bus, Consumer, Transport } from './bus.ts';
export type { DeadLetter, DeadLetters } from './dead-letters.ts';
export { atMost, inOrderByKey } from './in-order.ts';
