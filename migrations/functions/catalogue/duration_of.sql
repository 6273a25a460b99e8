-- The duration in ms that stands for a bucket of duration_bucket: its middle, at most 1.6% from each of its durations.
-- Called by: src/stores/catalogue/agent-stats.ts, src/stores/catalogue/usage.ts,
-- src/stores/operations/market-figures.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION duration_of(bucket smallint) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN bucket < 64 THEN bucket::integer ELSE
    ((32 + bucket % 32) << ((bucket - 64) / 32 + 1)) + (1 << ((bucket - 64) / 32)) END
$$;

REVOKE ALL ON FUNCTION duration_of FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION duration_of TO market_app;
