export { openLog } from './logger.ts';
export type { Logger } from './logger.ts';
