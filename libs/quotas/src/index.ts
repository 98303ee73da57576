export { quota, quotaMigrations } from './quota.ts';
export type { Quota, QuotaOptions } from './quota.ts';
