import { sqlName, type Pool } from '@causeway/postgres';

const faultsMax = 100;

/**
 * A hole in the order is a bug by definition, so that the order can be checked: positions follow each other, times rise,
 * each stream's appends stand in the order of their revisions, and each append is either placed, once, or queued.
 */
const faultsSql = (schema: string): string => `
WITH placed AS (
  SELECT *, last_position - event_count AS before, last_revision - event_count AS revision_before,
         lag(last_position, 1, 0) OVER by_position AS previous_position,
         lag(recorded_at + event_count - 1) OVER by_position AS previous_time,
         lag(last_revision, 1, -1) OVER (PARTITION BY stream ORDER BY last_position) AS previous_revision
    FROM ${schema}.sequenced
  WINDOW by_position AS (ORDER BY last_position)
)
SELECT format('position %s follows %s', before + 1, previous_position) AS fault
  FROM placed WHERE before <> previous_position
UNION ALL
SELECT format('position %s is not later than the one before it', before + 1)
  FROM placed WHERE recorded_at <= previous_time
UNION ALL
SELECT format('%s@%s follows %s', stream, revision_before + 1, previous_revision)
  FROM placed WHERE revision_before <> previous_revision
UNION ALL
SELECT format('%s@%s has no position and is not queued', stream, last_revision)
  FROM ${schema}.append a
 WHERE NOT EXISTS (SELECT FROM ${schema}.sequenced s WHERE (s.stream, s.last_revision) = (a.stream, a.last_revision))
   AND NOT EXISTS (SELECT FROM ${schema}.unsequenced u WHERE (u.stream, u.last_revision) = (a.stream, a.last_revision))
UNION ALL
SELECT format('%s@%s has a position and is queued', stream, last_revision)
  FROM ${schema}.unsequenced u JOIN ${schema}.sequenced s USING (stream, last_revision)
UNION ALL
SELECT format('%s@%s has a position, holds nothing and was not erased', stream, last_revision)
  FROM ${schema}.sequenced s
 WHERE NOT EXISTS (SELECT FROM ${schema}.append a WHERE (a.stream, a.last_revision) = (s.stream, s.last_revision))
   AND NOT EXISTS (SELECT FROM ${schema}.erased_stream e WHERE e.stream = s.stream)
LIMIT ${faultsMax}`;

/** Reads the whole order: for checks, not for requests. An empty list is as it should be. */
export const contiguityFaults = async (pool: Pool, schema: string): Promise<readonly string[]> =>
  (await pool.query<{ fault: string }>(faultsSql(sqlName(schema)))).rows.map(({ fault }) => fault);
