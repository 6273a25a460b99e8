-- The bucket of the duration of a call in the figures: duration_bucket, which is below 1000, and for a job 1000 more.
-- Called by: buyer_days_add, ledger_roll_up_locked, usage_parts, usage_recount, usage_roll_up, view
-- agent_day_latencies.
-- Locks: none.
CREATE OR REPLACE FUNCTION usage_bucket(ms integer, is_job boolean) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (duration_bucket(ms) + CASE WHEN is_job THEN 1000 ELSE 0 END)::smallint
$$;

REVOKE ALL ON FUNCTION usage_bucket FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION usage_bucket TO market_app;
