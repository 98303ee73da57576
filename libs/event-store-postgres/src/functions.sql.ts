/** Runs as the owner, whatever the caller may do, and finds no names but PostgreSQL's own and those written out. */
const asOwner = 'LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp';

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
CREATE FUNCTION ${schema}.erase_stream(p_stream text) RETURNS void ${asOwner} AS $$
BEGIN
  ${lock(`'${schema} ' || p_stream`)};
  INSERT INTO ${schema}.erased_stream (stream) VALUES (p_stream) ON CONFLICT (stream) DO NOTHING;
  DELETE FROM ${schema}.append a WHERE a.stream = p_stream;
END $$;`;
