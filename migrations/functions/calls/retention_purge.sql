-- Deletes one batch of expired answers, of waiters whose call ended an hour ago and whose process is gone, of counters
-- of free calls of months that are long over, of counts of stored bytes that have expired, and of paid calls by buyer
-- and day and of facts about failed calls after 31 days.
-- Called by: src/stores/operations/retention.ts.
-- Locks: the answers by expiry, then the waiters, then the counters, then the stored bytes, then the days, skipping
-- locked ones.
CREATE OR REPLACE FUNCTION retention_purge(most integer, OUT answers integer, OUT waiters integer, OUT counters integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  oldest_day date := (now() AT TIME ZONE 'UTC')::date - 31;
  days   integer;
  calls  text[];
  owners text[];
BEGIN
  DELETE FROM invocation_answers a WHERE a.invocation_id IN (
    SELECT e.invocation_id FROM invocation_answers e WHERE e.expires_at <= now()
    ORDER BY e.expires_at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS answers = ROW_COUNT;
  SELECT array_agg(ended.invocation_id), array_agg(ended.owner) INTO calls, owners FROM (
    SELECT s.invocation_id, s.owner FROM invocation_waiters s JOIN invocations i USING (invocation_id)
    WHERE i.settled_at < now() - interval '1 hour' LIMIT most) ended;
  -- A statement of its own: it locks rows, and the one before reads calls by their ids
  -- (docs/internals/statements.md#row-locks).
  DELETE FROM invocation_waiters w WHERE (w.invocation_id, w.owner) IN (
    SELECT s.invocation_id, s.owner FROM invocation_waiters s
    JOIN unnest(calls, owners) e(invocation_id, owner) USING (invocation_id, owner)
    FOR UPDATE OF s SKIP LOCKED);
  GET DIAGNOSTICS waiters = ROW_COUNT;
  DELETE FROM free_calls f WHERE (f.month, f.buyer_user_id, f.agent_id) IN (
    SELECT o.month, o.buyer_user_id, o.agent_id FROM free_calls o WHERE o.month < free_calls_month() - interval '2 months'
    ORDER BY o.month LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS counters = ROW_COUNT;
  DELETE FROM stored_bytes b WHERE (b.user_id, b.until) IN (
    SELECT o.user_id, o.until FROM stored_bytes o WHERE o.until <= now() ORDER BY o.until LIMIT most FOR UPDATE SKIP LOCKED);
  DELETE FROM buyer_days b WHERE b.ctid = ANY (ARRAY(
    SELECT o.ctid FROM buyer_days o WHERE o.day < oldest_day ORDER BY o.day LIMIT most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS days = ROW_COUNT;
  counters := counters + days;
  DELETE FROM buyer_day_sums s WHERE s.ctid = ANY (ARRAY(
    SELECT o.ctid FROM buyer_day_sums o WHERE o.day < oldest_day ORDER BY o.day LIMIT most FOR UPDATE SKIP LOCKED));
  DELETE FROM counted_days c WHERE c.ctid = ANY (ARRAY(
    SELECT o.ctid FROM counted_days o WHERE o.day < oldest_day ORDER BY o.day LIMIT most FOR UPDATE SKIP LOCKED));
  DELETE FROM counted_durations d WHERE d.ctid = ANY (ARRAY(
    SELECT o.ctid FROM counted_durations o WHERE o.day < oldest_day ORDER BY o.day LIMIT most FOR UPDATE SKIP LOCKED));
  DELETE FROM counted_buyers b WHERE b.ctid = ANY (ARRAY(
    SELECT o.ctid FROM counted_buyers o WHERE o.last_day < oldest_day ORDER BY o.last_day LIMIT most FOR UPDATE SKIP LOCKED));
  DELETE FROM call_failures f WHERE f.invocation_id IN (
    SELECT o.invocation_id FROM call_failures o WHERE o.failed_at < now() - interval '31 days'
    ORDER BY o.failed_at LIMIT most FOR UPDATE SKIP LOCKED);
END $$;

REVOKE ALL ON FUNCTION retention_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION retention_purge TO market_app;
