export { quota, quotaMigrations } from './quota.ts';
export type { Quota } from './quota.ts';
