import type { Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import type { TableName } from '@causeway/read-models';

/**
 * A read model's fold, its tables and its views. The tables exist once per generation: a rebuild fills a new one beside
 * the live one, and the views move over when it has caught up.
 */
export type Projection = Readonly<{
  /** Unique in the system. */
  name: string;
  /** To be raised when fold or tables change: the projector then builds the new version and switches to it by itself. */
  version: number;
  /** Logical names; the physical ones carry version and generation. */
  tables: readonly string[];
  /** Tables with their primary keys, one statement each. */
  ddl(table: TableName): readonly string[];
  /** Made at once for a live generation; for one that is filled beside it, after the bulk of the rows is in. */
  indexes(table: TableName): readonly string[];
  /** Statements that (re)make the views over one generation. */
  views(table: TableName): readonly string[];
  /**
   * Writes what the events mean, in few statements for many events. However the same events are cut into batches, the
   * rows come out the same. What it throws stops this projection and no other.
   */
  project(tx: PoolClient, table: TableName, batch: readonly Sequenced[]): Promise<void>;
  /** How many rows an event is about, for one that may be about many. Batches are cut by rows. One when left out. */
  rowsOf?(event: Sequenced): number;
  /**
   * Rows that nobody can ask for any more, and that no event can change: tables and conditions on a row `r`. They are
   * deleted from time to time. A rebuild makes them again, so nothing is compared of them.
   */
  forgets?(table: TableName): Readonly<Record<string, string>>;
}>;

export type Generation = Readonly<{ name: string; version: number; generation: number }>;

/** `ledger.transactions_v1_g2` */
export const tableOf =
  (schema: string, { version, generation }: Omit<Generation, 'name'>): TableName =>
  (logical) =>
    `${schema}.${logical}_v${version}_g${generation}`;
