-- The bucket of a duration in a histogram: below 64 ms one for each millisecond, then 32 for each doubling, so that a
-- bucket is at most 3.1% wide. duration_of returns its middle.
-- Called by: usage_bucket.
-- Locks: none.
CREATE OR REPLACE FUNCTION duration_bucket(ms integer) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN ms < 64 THEN greatest(ms, 0) ELSE
    64 + (26 - position('1' IN ms::bit(32)::text)) * 32 + (ms >> (27 - position('1' IN ms::bit(32)::text))) - 32
  END)::smallint
$$;

REVOKE ALL ON FUNCTION duration_bucket FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION duration_bucket TO market_app;
