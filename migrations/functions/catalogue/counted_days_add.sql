-- Adds outcomes to the days of unrelated buyers, and the differences to the sums, the buyers and the durations that figures read. An item
-- has agent_id, day, unit_id, succeeded, failed (also negative, when a day becomes that of another buyer), and the buckets of the first
-- success and of the first job. Days without calls are deleted.
-- Called by: buyer_days_add, owner_changes_apply.
-- Locks: days of buyers, sums, buyers and durations, each in the order of its key.
CREATE OR REPLACE FUNCTION counted_days_add(items jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE changes jsonb;
BEGIN
  WITH added AS (
    INSERT INTO counted_days AS c (agent_id, day, unit_id, succeeded, failed, bucket, job_bucket)
    SELECT i.agent_id, i.day, i.unit_id, sum(i.succeeded), sum(i.failed), min(i.bucket), min(i.job_bucket)
      FROM jsonb_to_recordset(items) AS i(agent_id text, day date, unit_id text, succeeded int, failed int, bucket smallint,
        job_bucket smallint)
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (agent_id, day, unit_id) DO UPDATE SET succeeded = c.succeeded + excluded.succeeded,
      failed = c.failed + excluded.failed, bucket = coalesce(c.bucket, excluded.bucket),
      job_bucket = coalesce(c.job_bucket, excluded.job_bucket)
    RETURNING new.agent_id, new.day, new.unit_id, new.succeeded + new.failed > 0 AS is_left,
      (new.succeeded + new.failed > 0)::integer - coalesce(old.succeeded + old.failed > 0, false)::integer AS buyers,
      new.succeeded + least(new.failed, 1) - coalesce(old.succeeded + least(old.failed, 1), 0) AS calls,
      coalesce(round(new.succeeded::numeric / nullif(new.succeeded + new.failed, 0), 6), 0)
        - coalesce(round(old.succeeded::numeric / nullif(old.succeeded + old.failed, 0), 6), 0) AS shares,
      old.bucket AS old_bucket, new.bucket, old.job_bucket AS old_job_bucket, new.job_bucket
  )
  SELECT jsonb_agg(to_jsonb(a)) INTO changes FROM added a;
  IF changes IS NULL THEN RETURN; END IF;
  INSERT INTO buyer_day_sums AS s (agent_id, day, calls, buyers, shares)
  SELECT a.agent_id, a.day, sum(a.calls), sum(a.buyers), sum(a.shares)
    FROM jsonb_to_recordset(changes) AS a(agent_id text, day date, calls bigint, buyers bigint, shares numeric)
   GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (agent_id, day) DO UPDATE SET calls = s.calls + excluded.calls, buyers = s.buyers + excluded.buyers,
    shares = s.shares + excluded.shares;
  INSERT INTO counted_durations AS d (agent_id, day, bucket, calls)
  SELECT a.agent_id, a.day, t.bucket, sum(t.calls)
    FROM jsonb_to_recordset(changes) AS a(agent_id text, day date, is_left boolean, old_bucket smallint, bucket smallint,
      old_job_bucket smallint, job_bucket smallint)
   CROSS JOIN LATERAL (VALUES (a.old_bucket, -1), (a.old_job_bucket, -1), (CASE WHEN a.is_left THEN a.bucket END, 1),
      (CASE WHEN a.is_left THEN a.job_bucket END, 1)) t(bucket, calls)
   WHERE t.bucket IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(t.calls) <> 0 ORDER BY 1, 2, 3
  ON CONFLICT (agent_id, day, bucket) DO UPDATE SET calls = d.calls + excluded.calls;
  DELETE FROM counted_days c USING jsonb_to_recordset(changes) AS a(agent_id text, day date, unit_id text, is_left boolean)
   WHERE NOT a.is_left AND c.agent_id = a.agent_id AND c.day = a.day AND c.unit_id = a.unit_id;
  INSERT INTO counted_buyers AS b (agent_id, unit_id, last_day)
  SELECT a.agent_id, a.unit_id, max(a.day)
    FROM jsonb_to_recordset(changes) AS a(agent_id text, day date, unit_id text, is_left boolean)
   WHERE a.is_left GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (agent_id, unit_id) DO UPDATE SET last_day = greatest(b.last_day, excluded.last_day)
   WHERE b.last_day < excluded.last_day;
  DELETE FROM counted_buyers b USING jsonb_to_recordset(changes) AS a(agent_id text, unit_id text, is_left boolean)
   WHERE NOT a.is_left AND b.agent_id = a.agent_id AND b.unit_id = a.unit_id
     AND NOT EXISTS (SELECT FROM counted_days c WHERE c.unit_id = a.unit_id AND c.agent_id = a.agent_id);
END $$;

REVOKE ALL ON FUNCTION counted_days_add FROM PUBLIC, market_app;
