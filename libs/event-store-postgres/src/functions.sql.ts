/**
 * Runs as the owner, whatever the caller may do, and finds no names but PostgreSQL's own and those written out. Planned
 * once per session: with plans made for the values at hand, planning took most of the time of a call. Locks are held for
 * one statement, so that who waits for seconds waits for something broken, and shall give its connection back.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '5s'
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan`;

/** An advisory lock takes no transaction id, and it orders writers of one stream from before the first write. */
const lock = (name: string): string => `PERFORM pg_advisory_xact_lock(hashtextextended(${name}, 0))`;

/**
 * One round trip, one commit. `p_expected` is -1 for a stream that must not exist. Each statement of a function sees
 * what was committed before it began, so what is read after the lock is the newest there is.
 */
export const append = (schema: string): string => `
CREATE FUNCTION ${schema}.append(
  p_stream text, p_expected int, p_event_ids uuid[], p_metadata json, p_data_key uuid, p_payload bytea
) RETURNS text ${asOwner} AS $$
DECLARE
  v_count int := cardinality(p_event_ids);
  v_last int;
BEGIN
  ${lock(`'${schema} ' || p_stream`)};
  SELECT last_revision INTO v_last FROM ${schema}.append a
   WHERE a.stream = p_stream ORDER BY a.last_revision DESC LIMIT 1;
  IF coalesce(v_last, -1) <> p_expected THEN
    PERFORM FROM ${schema}.append a
      WHERE a.stream = p_stream AND a.last_revision = p_expected + v_count AND a.event_ids = p_event_ids;
    RETURN CASE WHEN FOUND THEN 'appended' ELSE 'conflict' END;
  END IF;
  IF p_expected = -1 THEN
    PERFORM FROM ${schema}.erased_stream e WHERE e.stream = p_stream;
    IF FOUND THEN RETURN 'erased'; END IF;
  END IF;
  INSERT INTO ${schema}.append (stream, last_revision, event_count, data_key, event_ids, metadata, payload)
  VALUES (p_stream, p_expected + v_count, v_count, p_data_key, p_event_ids, p_metadata, p_payload);
  INSERT INTO ${schema}.unsequenced (stream, last_revision, event_count)
  VALUES (p_stream, p_expected + v_count, v_count);
  RETURN 'appended';
END $$;`;

/**
 * Stores those of several small appends to different streams that can be stored at once, in one commit; says which, by
 * their number from 1. It waits for nobody: what is locked by another writer, or does not fit, is left to `append`.
 */
export const appendGroup = (schema: string): string => `
CREATE FUNCTION ${schema}.append_group(
  p_streams text[], p_expected int[], p_counts int[], p_data_keys uuid[], p_lengths int[],
  p_event_ids uuid[], p_metadata json, p_payloads bytea
) RETURNS int[] ${asOwner} AS $$
DECLARE
  v_free boolean[];
  v_stored int[];
BEGIN
  v_free := ARRAY(
    SELECT pg_try_advisory_xact_lock(hashtextextended('${schema} ' || s, 0)) FROM unnest(p_streams) s
  );
  WITH given AS (
    SELECT g.*, (sum(g.event_count) OVER w)::int AS ids_upto, (sum(g.length) OVER w)::int AS bytes_upto
      FROM ROWS FROM (
        unnest(p_streams, p_expected, p_counts, p_data_keys, p_lengths, v_free), json_array_elements(p_metadata)
      ) WITH ORDINALITY AS g (stream, expected, event_count, data_key, length, free, metadata, i)
    WINDOW w AS (ORDER BY g.i)
  ), stored AS (
    INSERT INTO ${schema}.append AS a (stream, last_revision, event_count, data_key, event_ids, metadata, payload)
    SELECT g.stream, g.expected + g.event_count, g.event_count, g.data_key,
           p_event_ids[g.ids_upto - g.event_count + 1 : g.ids_upto], g.metadata,
           substring(p_payloads FROM g.bytes_upto - g.length + 1 FOR g.length)
      FROM given g
     WHERE g.free AND g.expected = coalesce((
             SELECT p.last_revision FROM ${schema}.append p
              WHERE p.stream = g.stream ORDER BY p.last_revision DESC LIMIT 1), -1)
       AND (g.expected >= 0 OR NOT EXISTS (SELECT FROM ${schema}.erased_stream e WHERE e.stream = g.stream))
    RETURNING a.stream, a.last_revision, a.event_count
  ), queued AS (
    INSERT INTO ${schema}.unsequenced AS u (stream, last_revision, event_count)
    SELECT * FROM stored RETURNING u.stream
  )
  SELECT array_agg(g.i) INTO v_stored FROM queued q JOIN given g USING (stream);
  RETURN v_stored;
END $$;`;

/**
 * Gives positions to at most `p_limit` queued appends; says the last position there is, and whether more may be queued.
 * Any replica may call it at any time: callers take turns by the lock, and one that is stopped or cut off holds nothing,
 * since the call is a statement of its own. No transaction id and no other transaction's snapshot plays a part, so a
 * writer elsewhere on the server stalls nothing, and a restored dump goes on where it was.
 */
export const sequence = (schema: string): string => `
CREATE FUNCTION ${schema}.sequence(p_limit int, OUT last_position bigint, OUT more boolean)
${asOwner} SET enable_seqscan = off AS $$ -- By its index, the queue is read past its dead rows; by the heap, through them.
DECLARE
  v_queued boolean;
  v_recorded_at bigint;
  v_appends int;
  v_events bigint;
BEGIN
  more := false;
  PERFORM FROM ${schema}.unsequenced u ORDER BY u.n LIMIT 1;
  v_queued := FOUND;
  IF v_queued THEN ${lock(`'${schema} sequencer'`)}; END IF;
  SELECT s.last_position, s.recorded_at + s.event_count INTO last_position, v_recorded_at
    FROM ${schema}.sequenced s ORDER BY s.last_position DESC LIMIT 1;
  last_position := coalesce(last_position, 0);
  IF NOT v_queued THEN RETURN; END IF;

  -- The clock may be set back; what is recorded may not.
  v_recorded_at := greatest(v_recorded_at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  WITH taken AS (
    DELETE FROM ${schema}.unsequenced u
     WHERE u.ctid = ANY (ARRAY(SELECT q.ctid FROM ${schema}.unsequenced q ORDER BY q.n LIMIT p_limit))
    RETURNING u.*
  ), ordered AS (
    SELECT t.*, sum(t.event_count) OVER (ORDER BY t.n) AS upto FROM taken t
  ), placed AS (
    INSERT INTO ${schema}.sequenced AS s (last_position, event_count, recorded_at, stream, last_revision)
    SELECT sequence.last_position + upto, event_count, v_recorded_at + upto - event_count, stream, last_revision
      FROM ordered ORDER BY n
    RETURNING s.event_count
  )
  SELECT count(*), coalesce(sum(p.event_count), 0) INTO v_appends, v_events FROM placed p;
  last_position := last_position + v_events;
  more := v_appends = p_limit;
END $$;`;

/** The one way to delete: tables belong to the owner, and a service's role has no right to change or delete a row. */
export const eraseStream = (schema: string): string => `
CREATE FUNCTION ${schema}.erase_stream(p_stream text, p_if_written boolean) RETURNS int ${asOwner} AS $$
DECLARE
  v_count int;
BEGIN
  ${lock(`'${schema} ' || p_stream`)};
  SELECT e.event_count INTO v_count FROM ${schema}.erased_stream e WHERE e.stream = p_stream;
  IF FOUND THEN RETURN v_count; END IF;
  SELECT a.last_revision + 1 INTO v_count FROM ${schema}.append a
   WHERE a.stream = p_stream ORDER BY a.last_revision DESC LIMIT 1;
  IF NOT FOUND AND p_if_written THEN RETURN 0; END IF;
  INSERT INTO ${schema}.erased_stream (stream, event_count) VALUES (p_stream, coalesce(v_count, 0));
  DELETE FROM ${schema}.append a WHERE a.stream = p_stream;
  RETURN coalesce(v_count, 0);
END $$;`;
