-- The duration in ms that stands for a bucket of usage_bucket: its middle, at most 1.6% from each of its durations.
-- Called by: src/stores/catalogue/latencies.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION duration_of(bucket smallint) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN bucket % 1000 < 64 THEN (bucket % 1000)::integer ELSE
    ((32 + bucket % 1000 % 32) << ((bucket % 1000 - 64) / 32 + 1)) + (1 << ((bucket % 1000 - 64) / 32)) END
$$;

REVOKE ALL ON FUNCTION duration_of FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION duration_of TO market_app;
