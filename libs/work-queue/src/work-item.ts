import { migration, type Migration, type Pool, type PoolClient } from '@causeway/postgres';

export type WorkItem = Readonly<{
  kind: string;
  id: string;
  organization: string;
  environment: 'live' | 'test';
  /** Null: none is asked for it. */
  institution: string | null;
  /** ISO 8601. At once when left out. */
  dueAt?: string;
}>;

/**
 * due_at: when it may be claimed. A claim moves it to the end of the claim, so that what is claimed, what rests and what
 * waits for its day are passed over alike, and a claim that has run out is nothing else than an item that is due.
 * holder, epoch: of the last claim; a null holder has none. again_at: put in while it was claimed, to be due again then.
 * attempts: those in a row that threw.
 */
const table = (schema: string): string => `
CREATE TABLE "${schema}".work_item (
  kind text NOT NULL,
  id text NOT NULL,
  organization text NOT NULL,
  environment text NOT NULL,
  institution text,
  due_at timestamptz NOT NULL,
  again_at timestamptz,
  holder text,
  epoch bigint NOT NULL DEFAULT 0,
  attempts int NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, id)
);
CREATE INDEX work_item_due ON "${schema}".work_item (kind, environment, due_at);
CREATE INDEX work_item_line ON "${schema}".work_item (kind, environment, organization, due_at);
CREATE INDEX work_item_claimed ON "${schema}".work_item (due_at) WHERE holder IS NOT NULL`;

export const workQueueMigrations = (schema: string): readonly Migration[] => [
  migration('WorkQueue1767225600000', table(schema)),
];

/**
 * Adds items, or says anew when they are due. Of an item that is claimed meanwhile the claim goes on, and it is due
 * again when the claim ends: whoever works it may not have seen what this one was put in for.
 */
export const putWork = async (db: Pool | PoolClient, schema: string, items: readonly WorkItem[]): Promise<void> => {
  if (items.length === 0) return;
  // One statement cannot put the same item twice: the last one counts.
  const unique = new Map(items.map((item) => [JSON.stringify([item.kind, item.id]), item]));
  await db.query({
    name: `${schema}.put_work`,
    text: `INSERT INTO "${schema}".work_item AS w (kind, id, organization, environment, institution, due_at)
           SELECT kind, id, organization, environment, institution, coalesce("dueAt", clock_timestamp())
             FROM jsonb_to_recordset($1) AS p (kind text, id text, organization text, environment text,
                                               institution text, "dueAt" timestamptz)
            ORDER BY kind, id
           ON CONFLICT (kind, id) DO UPDATE SET
             due_at = CASE WHEN w.holder IS NULL THEN excluded.due_at ELSE w.due_at END,
             again_at = CASE WHEN w.holder IS NULL THEN NULL ELSE excluded.due_at END`,
    values: [JSON.stringify([...unique.values()])],
  });
};

/** Work on one of them that is under way learns of it by its next renewal. */
export const dropWork = async (
  db: Pool | PoolClient,
  schema: string,
  kind: string,
  ids: readonly string[],
): Promise<void> => {
  const sql = `DELETE FROM "${schema}".work_item WHERE kind = $1 AND id = ANY ($2)`;
  await db.query(sql, [kind, ids]);
};
