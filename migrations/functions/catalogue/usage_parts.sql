-- Sums the calls of an agent in parts of UTC days, and its calls of a window that have not ended, by day, status, error
-- code and bucket of their duration (usage_bucket; null without one). lowest, open_lowest: below the ids of all calls that may be in
-- the parts, or may not have ended. One plan serves all windows and leaves out the other months when it starts, so that
-- neither planning nor reading costs more after years.
-- Called by: src/stores/catalogue/usage.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION usage_parts(
  agent text, first_ids text[], end_ids text[], sinces timestamptz[], untils timestamptz[],
  since timestamptz, until timestamptz, lowest text, open_lowest text)
RETURNS TABLE (day date, status text, error_code text, calls bigint, gross_units bigint, fee_units bigint, bucket smallint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT (i.invoked_at AT TIME ZONE 'UTC')::date, u.status, u.error_code, sum(u.calls)::bigint,
    coalesce(sum(u.gross), 0)::bigint, coalesce(sum(u.fee), 0)::bigint,
    CASE WHEN u.calls = 1 AND i.status = 'succeeded' AND i.duration_ms IS NOT NULL
      THEN usage_bucket(i.duration_ms, j.is_job) END AS bucket
  FROM unnest(first_ids, end_ids, sinces, untils) e(first_id, end_id, since, until)
  JOIN LATERAL (SELECT * FROM invocations i WHERE i.agent_id = agent AND i.invocation_id >= e.first_id
    AND i.invocation_id < e.end_id AND i.invocation_id >= lowest AND i.invoked_at >= e.since AND i.invoked_at < e.until
    AND i.status IN ('succeeded', 'failed', 'disputed') OFFSET 0) i ON true
  LEFT JOIN LATERAL (SELECT l.fee_units, l.returned_fee_units FROM earnings l
    WHERE l.invocation_id = i.invocation_id AND l.invocation_id >= lowest OFFSET 0) l ON true
  LEFT JOIN LATERAL (SELECT true AS is_job FROM jobs j WHERE i.is_task AND j.invocation_id = i.invocation_id OFFSET 0) j ON true
  -- The part of a charge that a dispute returned is a sum of disputed calls, and no call of them.
  CROSS JOIN LATERAL (VALUES
    (i.status, counted_code(i.invocation_id, i.error_code), 1, i.charged_units - coalesce(i.returned_units, 0),
      l.fee_units - coalesce(l.returned_fee_units, 0)),
    ('disputed', '', 0, i.returned_units, l.returned_fee_units)) u(status, error_code, calls, gross, fee)
  WHERE u.calls = 1 OR i.returned_units IS NOT NULL
  GROUP BY 1, 2, 3, 7;

  RETURN QUERY
  SELECT (i.invoked_at AT TIME ZONE 'UTC')::date, i.status, '', count(*), 0::bigint, 0::bigint, NULL::smallint
  FROM open_calls o JOIN LATERAL (SELECT * FROM invocations i
    WHERE i.invocation_id = o.invocation_id AND i.invocation_id >= open_lowest OFFSET 0) i ON true
  WHERE o.agent_id = agent AND o.invocation_id >= open_lowest
    AND i.invoked_at >= usage_parts.since AND i.invoked_at < usage_parts.until
  GROUP BY 1, 2;

  IF lowest < (SELECT partition_bound('inv', (max(d.month) + interval '1 month')::date) FROM detached_months d) THEN
    RETURN QUERY
    SELECT (i.invoked_at AT TIME ZONE 'UTC')::date, u.status, u.error_code, sum(u.calls)::bigint,
      coalesce(sum(u.gross), 0)::bigint, coalesce(sum(u.fee), 0)::bigint,
      CASE WHEN u.calls = 1 AND i.status = 'succeeded' AND i.duration_ms IS NOT NULL
        THEN usage_bucket(i.duration_ms, j.is_job) END AS bucket
    FROM unnest(first_ids, end_ids, sinces, untils) e(first_id, end_id, since, until)
    JOIN LATERAL (SELECT * FROM archive.invocations i WHERE i.agent_id = agent AND i.invocation_id >= e.first_id
      AND i.invocation_id < e.end_id AND i.invoked_at >= e.since AND i.invoked_at < e.until
      AND i.status IN ('succeeded', 'failed', 'disputed') OFFSET 0) i ON true
    LEFT JOIN LATERAL (SELECT l.fee_units, l.returned_fee_units FROM archive.earnings l
      WHERE l.invocation_id = i.invocation_id OFFSET 0) l ON true
    LEFT JOIN LATERAL (SELECT true AS is_job FROM jobs j WHERE i.is_task AND j.invocation_id = i.invocation_id OFFSET 0) j ON true
    CROSS JOIN LATERAL (VALUES
      (i.status, coalesce(i.error_code, ''), 1, i.charged_units - coalesce(i.returned_units, 0),
        l.fee_units - coalesce(l.returned_fee_units, 0)),
      ('disputed', '', 0, i.returned_units, l.returned_fee_units)) u(status, error_code, calls, gross, fee)
    WHERE u.calls = 1 OR i.returned_units IS NOT NULL
    GROUP BY 1, 2, 3, 7;
  END IF;
END $$;

REVOKE ALL ON FUNCTION usage_parts FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION usage_parts TO market_app;
