import { claimTtlMs } from './hand.ts';

/** Of the due items of a lane, that are looked at whosever they are. */
const oldestMax = 200;

/** A claim lost in a crash of the database is made again by then, and so is the end of one: nobody waits for the disk. */
const withoutSync = `set_config('synchronous_commit', 'off', true)`;
const ttl = `interval '${claimTtlMs} ms'`;
/** What lies between the clocks of two statements that run at once. */
const clockMargin = `interval '500 ms'`;

/** What there is room for, what is in hand, and who has their share of it. */
const lanes = `
held AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($2) AS h (kind text, environment text, organization text, institution text)
), of_organization AS MATERIALIZED (
  SELECT kind, environment, organization, count(*) AS items FROM held GROUP BY 1, 2, 3
), of_institution AS MATERIALIZED (
  SELECT kind, environment, institution, count(*) AS items FROM held GROUP BY 1, 2, 3
), lane AS MATERIALIZED (
  SELECT l.*, ${withoutSync},
         ARRAY(SELECT o.organization FROM of_organization o
                WHERE o.kind = l.kind AND o.environment = l.environment AND o.items >= l.share) AS full_organizations,
         ARRAY(SELECT n.institution FROM of_institution n WHERE n.kind = l.kind AND n.environment = l.environment
                  AND n.items >= l.share AND n.institution IS NOT NULL) AS full_institutions
    FROM jsonb_to_recordset($1) AS l (kind text, environment text, room int, share int)
`;

/**
 * What a lane may claim from: its oldest due items, and where these are but some, the oldest of each organization. What
 * has its share is passed over, or those who wait for it would be all that is seen.
 */
const candidates = (schema: string): string => `
oldest AS MATERIALIZED (
  SELECT w.* FROM lane l CROSS JOIN LATERAL (
    SELECT kind, id, environment, organization, institution, due_at FROM "${schema}".work_item
     WHERE kind = l.kind AND environment = l.environment AND due_at <= statement_timestamp()
       AND coalesce(institution <> ALL (l.full_institutions), true)
     ORDER BY due_at LIMIT ${oldestMax}) w
   WHERE l.room > 0
), line AS (
  SELECT kind, environment, '' AS organization FROM oldest GROUP BY 1, 2 HAVING count(*) = ${oldestMax}
   UNION ALL
  SELECT kind, environment, (
    SELECT min(w.organization) FROM "${schema}".work_item w
     WHERE w.kind = line.kind AND w.environment = line.environment AND w.organization > line.organization)
    FROM line WHERE organization IS NOT NULL
), crowd AS (
  SELECT line.*, room, full_institutions, count(*) OVER (PARTITION BY kind, environment) AS organizations
    FROM line JOIN lane USING (kind, environment)
   WHERE organization > '' AND organization <> ALL (full_organizations)
), candidate AS MATERIALIZED (
  SELECT * FROM oldest
   UNION
  SELECT w.* FROM crowd CROSS JOIN LATERAL (
    SELECT kind, id, environment, organization, institution, due_at FROM "${schema}".work_item
     WHERE kind = crowd.kind AND environment = crowd.environment AND organization = crowd.organization
       AND due_at <= statement_timestamp() AND coalesce(institution <> ALL (crowd.full_institutions), true)
     ORDER BY due_at LIMIT ceil(2.0 * crowd.room / crowd.organizations)) w
`;

/** What is in hand for the organization or the institution of each candidate, whichever has more, with the candidate. */
const places = `
in_line AS (
  SELECT c.*, coalesce(o.items, 0) + row_number()
           OVER (PARTITION BY kind, environment, organization ORDER BY c.due_at, c.id) AS of_own
    FROM candidate c LEFT JOIN of_organization o USING (kind, environment, organization)
), placed AS MATERIALIZED (
  SELECT i.*, CASE WHEN i.institution IS NULL THEN i.of_own ELSE greatest(i.of_own, coalesce(n.items, 0) + row_number()
           OVER (PARTITION BY kind, environment, institution ORDER BY i.of_own, i.due_at, i.id)) END AS place
    FROM in_line i LEFT JOIN of_institution n USING (kind, environment, institution)
`;

/**
 * $1: lanes; $2: what is in hand; $3: the holder. A lane is a kind and an environment; `share` bounds what one
 * organization, or one institution, may have in hand; those that have least come first. `rewound`: the clock was set
 * back since, and no claim outlasts its time for that. `roomy`: what was claimed may have filled a share, so there is
 * another look at once, which passes over it.
 */
export const claimSql = (schema: string): string => `
WITH RECURSIVE ${lanes}), ${candidates(schema)}), ${places}), chosen AS (
  SELECT c.* FROM lane l CROSS JOIN LATERAL (
    SELECT w.kind, w.id FROM placed p JOIN "${schema}".work_item w ON w.kind = p.kind AND w.id = p.id
     WHERE p.kind = l.kind AND p.environment = l.environment AND p.place <= l.share
       AND w.due_at <= statement_timestamp()
     ORDER BY p.place, p.due_at LIMIT l.room
       FOR UPDATE OF w SKIP LOCKED) c
), claimed AS (
  UPDATE "${schema}".work_item w SET due_at = clock_timestamp() + ${ttl}, holder = $3, epoch = w.epoch + 1
    FROM chosen c WHERE w.kind = c.kind AND w.id = c.id
  RETURNING w.kind, w.id, w.organization, w.environment, w.institution, w.attempts, w.epoch
), rewound AS (
  UPDATE "${schema}".work_item SET due_at = clock_timestamp() + ${ttl}
   WHERE holder IS NOT NULL AND due_at > statement_timestamp() + ${ttl} + ${clockMargin}
), next AS (
  SELECT (SELECT w.due_at FROM "${schema}".work_item w
           WHERE w.kind = l.kind AND w.environment = l.environment AND w.due_at > statement_timestamp()
           ORDER BY w.due_at LIMIT 1) AS due_at,
         EXISTS (SELECT FROM "${schema}".work_item w
           WHERE w.kind = l.kind AND w.environment = l.environment AND w.due_at <= statement_timestamp()
             AND (w.kind, w.id) NOT IN (SELECT kind, id FROM claimed)) AS crowded,
         (SELECT count(*) FROM claimed c WHERE c.kind = l.kind AND c.environment = l.environment)
           BETWEEN 1 AND l.room - 1 AS roomy
    FROM lane l
)
SELECT (SELECT coalesce(jsonb_agg(to_jsonb(claimed)), '[]') FROM claimed) AS claims,
       CASE WHEN bool_or(next.crowded AND next.roomy) THEN 0
            ELSE extract(epoch FROM min(next.due_at) - statement_timestamp())::float8 * 1000 END AS "nextInMs",
       bool_or(next.crowded) AS crowded
  FROM next`;

/** $1: claims; $2: the holder. */
export const renewSql = (schema: string): string => `
WITH held AS (
  SELECT w.kind, w.id, ${withoutSync}
    FROM "${schema}".work_item w
    JOIN jsonb_to_recordset($1) AS c (kind text, id text, epoch bigint) ON w.kind = c.kind AND w.id = c.id
   WHERE w.holder = $2 AND w.epoch = c.epoch
   ORDER BY w.kind, w.id FOR UPDATE OF w
)
UPDATE "${schema}".work_item w SET due_at = clock_timestamp() + ${ttl}
  FROM held WHERE w.kind = held.kind AND w.id = held.id
RETURNING w.kind, w.id, w.epoch`;

/** $1: how claims ended; $2: the holder. An item without a time to be due again is done, unless it was put in again. */
export const settleSql = (schema: string): string => `
WITH held AS MATERIALIZED (
  SELECT w.kind, w.id, w.again_at, e."againInMs", e.attempts, ${withoutSync}
    FROM "${schema}".work_item w
    JOIN jsonb_to_recordset($1) AS e (kind text, id text, epoch bigint, "againInMs" bigint, attempts int)
      ON w.kind = e.kind AND w.id = e.id
   WHERE w.holder = $2 AND w.epoch = e.epoch
   ORDER BY w.kind, w.id FOR UPDATE OF w
), done AS (
  DELETE FROM "${schema}".work_item w USING held
   WHERE w.kind = held.kind AND w.id = held.id AND held."againInMs" IS NULL AND held.again_at IS NULL
)
UPDATE "${schema}".work_item w
   SET holder = NULL, again_at = NULL, attempts = held.attempts,
       due_at = least(held.again_at, clock_timestamp() + held."againInMs" * interval '1 ms')
  FROM held
 WHERE w.kind = held.kind AND w.id = held.id AND (held."againInMs" IS NOT NULL OR held.again_at IS NOT NULL)`;
