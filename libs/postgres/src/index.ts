export { inTransaction, openPool } from './pool.ts';
export type { Pool, PoolClient, PoolOptions } from './pool.ts';
export { freePort } from './free-port.ts';
export { migrate } from './migrate.ts';
export type { Migration } from './migrate.ts';
export { startCluster } from './cluster.ts';
export { commandOf, endWithUs } from './processes.ts';
export type { Cluster, ClusterOptions } from './cluster.ts';
export {
  acquireLease,
  holdLease,
  leaseMigrations,
  LeaseLost,
  leaseTtlMs,
  releaseLease,
  renewLease,
  runLeased,
} from './lease.ts';
export type { Lease, LeasedOptions, LeasedWork, LeaseOptions } from './lease.ts';
export { ensureRole, sqlName } from './role.ts';
export { serviceSchemaMigrations } from './service-schema.ts';
export { databaseProbe } from './database-probe.ts';
export { isOutage } from './outage.ts';
