import type { EventStore, Position, Sequenced, StreamName } from '@causeway/event-sourcing';
import type { Pool, PoolClient } from '@causeway/postgres';
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
  /** How rows of the first of the tables are compared with another generation's. Column by column when left out. */
  compared?: Compared;
  /**
   * The streams that the rows of a scope are made of, as far as their events have come to `live`: no others are folded
   * to verify them. All are, where this is left out.
   */
  streamsOf?(pool: Pool, live: TableName, scope: Scope): Promise<readonly StreamName[]>;
  /**
   * Records in the events what the rows will show from now on, at most `differencesMax` a call; the same call again
   * records nothing more. Resolves to the position of the last. For read models that a feed reads; of others, a switch
   * just shows the new rows.
   */
  correct?(between: Between, differences: readonly Difference[], by: Correction): Promise<Position>;
}>;

/** Two generations at the same position. `held`: streams that the next one holds back: nothing of theirs is corrected. */
export type Between = Readonly<{
  pool: Pool;
  store: EventStore;
  live: TableName;
  next: TableName;
  held: ReadonlySet<StreamName>;
}>;

/** Why rows are corrected, and by whom. `id`: of the request; the same id and row make the same event. */
export type Correction = Readonly<{ id: string; reason: string; operator: string }>;

export const differencesMax = 1000;

/**
 * A row that two generations show differently. `id`: as the interface names it; a balance's is `<accountId>/<date>`.
 * `fields`: before and after; of an added or removed row one side is null.
 */
export type Difference = Readonly<{
  id: string;
  change: 'added' | 'changed' | 'removed';
  fields: Readonly<Record<string, readonly [unknown, unknown]>>;
}>;

/** How rows of a read model are compared with another generation's: by their primary key, column by column. */
export type Compared = Readonly<{
  /** A column of JSON text, taken member by member. */
  json?: string;
  /** SQL of a row `r`: the others are seen by nobody. All are shown when left out. */
  shown?: string;
  /** The table of what its rows were before, by the same key and `superseded_at`. */
  versions?: string;
}>;

/** A part of a read model. */
export type Scope = Readonly<{ of: 'account' | 'connection' | 'organization'; id: string }>;

/** The column that says whose a row is. */
export const columnOfScope: Readonly<Record<Scope['of'], string>> = {
  account: 'account_id',
  connection: 'connection_id',
  organization: 'organization',
};

export type Generation = Readonly<{ name: string; version: number; generation: number }>;

/** `ledger.transactions_v1_g2` */
export const tableOf =
  (schema: string, { version, generation }: Omit<Generation, 'name'>): TableName =>
  (logical) =>
    `${schema}.${logical}_v${version}_g${generation}`;

/** Each version has a lease of its own: the next one is filled while a process of the one before still runs. */
export const leaseName = (name: string, version: number | ''): string => `projection ${name} v${version}`;
