export { headOf, tableOf } from './projection.ts';
export type { Generation, Projection } from './projection.ts';
export { rowProjection } from './row-projection.ts';
export type { RowProjection } from './row-projection.ts';
export { copyInto } from './copy.ts';
export { projectionMigrations } from './migrations.ts';
