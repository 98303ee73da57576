export type { Message, Problem, Reply } from './message.ts';
export { DeadlineExceeded } from './bus.ts';
export type { Bus } from './bus.ts';
