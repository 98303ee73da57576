/** Whatever the caller may do; finds no names but PostgreSQL's own and those written out; waits for no lock for long. */
const asOwner = `SECURITY DEFINER SET lock_timeout = '5s' SET search_path = pg_catalog, pg_temp`;

/**
 * Gives places to appends that follow each other in the server's order, and says the last place there is. Any replica
 * may call it at any time with whatever stretch it has read: callers take turns, what has a place is passed over, and so
 * one that was stopped and comes late changes nothing. A stretch that begins behind what has a place would leave a hole.
 */
export const place = (schema: string): string => `
CREATE FUNCTION ${schema}.place(
  p_after_commit bigint, p_after_prepare bigint, p_streams text[], p_last_revisions int[], p_counts int[],
  p_commits bigint[], p_prepares bigint[]
) RETURNS bigint LANGUAGE plpgsql ${asOwner} AS $$
DECLARE
  v_position bigint;
  v_recorded_at bigint;
  v_commit bigint;
  v_prepare bigint;
  v_events bigint;
BEGIN
  IF cardinality(p_streams) > 0 THEN PERFORM pg_advisory_xact_lock(hashtextextended('${schema} placed', 0)); END IF;
  SELECT p.last_position, p.recorded_at + p.event_count, p.commit_position, p.prepare_position
    INTO v_position, v_recorded_at, v_commit, v_prepare
    FROM ${schema}.placed p ORDER BY p.last_position DESC LIMIT 1;
  v_position := coalesce(v_position, 0);
  IF cardinality(p_streams) = 0 THEN RETURN v_position; END IF;
  IF (p_after_commit, p_after_prepare) > (coalesce(v_commit, -1), coalesce(v_prepare, -1)) THEN
    RAISE EXCEPTION 'what follows % cannot be placed: the last that has a place is at %', p_after_commit, v_commit;
  END IF;

  -- The clock may be set back; what is recorded may not.
  v_recorded_at := greatest(v_recorded_at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  WITH given AS (
    SELECT g.*, sum(g.event_count) OVER (ORDER BY g.commit_position, g.prepare_position) AS upto
      FROM unnest(p_streams, p_last_revisions, p_counts, p_commits, p_prepares)
        AS g (stream, last_revision, event_count, commit_position, prepare_position)
     WHERE (g.commit_position, g.prepare_position) > (coalesce(v_commit, -1), coalesce(v_prepare, -1))
  ), placed AS (
    INSERT INTO ${schema}.placed AS p
      (last_position, event_count, recorded_at, stream, last_revision, commit_position, prepare_position)
    SELECT v_position + upto, event_count, v_recorded_at + upto - event_count, stream, last_revision,
           commit_position, prepare_position
      FROM given ORDER BY upto
    RETURNING p.event_count
  )
  SELECT coalesce(sum(p.event_count), 0) INTO v_events FROM placed p;
  RETURN v_position + v_events;
END $$;`;

/** Only forward: several processes look through the same order, each as far as it has come. */
export const lookedThrough = (schema: string): string => `
CREATE FUNCTION ${schema}.looked_through(p_commit bigint, p_prepare bigint) RETURNS void
LANGUAGE sql ${asOwner} AS $$
  INSERT INTO ${schema}.looked_through AS l (commit_position, prepare_position) VALUES (p_commit, p_prepare)
  ON CONFLICT (one) DO UPDATE
    SET commit_position = excluded.commit_position, prepare_position = excluded.prepare_position
  WHERE (l.commit_position, l.prepare_position) < (excluded.commit_position, excluded.prepare_position)
$$;`;
