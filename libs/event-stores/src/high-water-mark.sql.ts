/**
 * The last position of the store, and an instant, in microseconds since 1970: what has no position yet will be recorded
 * later. Who gives out positions reads the clock once it holds the lock, so that, with the lock shared here, nobody has
 * read the clock and not committed. Both stores have their tables; one of the two is empty. Anybody may ask: it tells of
 * no event.
 */
export const highWaterMark = (schema: string): string => `
CREATE FUNCTION ${schema}.high_water_mark(OUT head bigint, OUT known_until bigint)
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '1s' SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended(lock, 0))
     FROM unnest(ARRAY['${schema} sequencer', '${schema} placed']) AS locks (lock);
  SELECT o.last_position, o.recorded_at + o.event_count - 1 INTO head, known_until FROM (
    (SELECT s.last_position, s.recorded_at, s.event_count FROM ${schema}.sequenced s ORDER BY s.last_position DESC LIMIT 1)
    UNION ALL
    (SELECT p.last_position, p.recorded_at, p.event_count FROM ${schema}.placed p ORDER BY p.last_position DESC LIMIT 1)
  ) AS o ORDER BY o.last_position DESC LIMIT 1;
  head := coalesce(head, 0);
  -- The clock may be set back; what is recorded may not.
  known_until := greatest(known_until, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1);
END $$;
GRANT EXECUTE ON FUNCTION ${schema}.high_water_mark TO PUBLIC;`;
