-- Says why a month of money cannot be detached yet: it is too young, or something in it may still move. No row: it can.
-- keep_days: how long a month stays after its end, at least 100 days, which is longer than any dispute and than any
-- bank takes.
-- Called by: src/stores/ledger/ledger-archives.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION month_problems(month date, keep_days integer) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  until_day date := (month + interval '1 month')::date;
  from_id   text := partition_bound('inv', month);
  until_id  text := partition_bound('inv', until_day);
  due       date := until_day + greatest(keep_days, 100);
  found     bigint;
BEGIN
  IF EXISTS (SELECT FROM detached_months d WHERE d.month = month_problems.month) THEN
    RETURN NEXT 'it is detached already';
    RETURN;
  END IF;
  IF to_regclass('months.' || to_char(month, '"entries_"YYYY_MM')) IS NULL THEN
    RETURN NEXT 'there is no such month';
    RETURN;
  END IF;
  IF due > (now() AT TIME ZONE 'UTC')::date THEN
    RETURN NEXT 'it is kept until ' || to_char(due, 'YYYY-MM-DD');
  END IF;
  IF NOT EXISTS (SELECT FROM ledger_digests d WHERE d.day = until_day - 1) THEN
    RETURN NEXT 'its last day has no digest';
  END IF;
  -- An incremental check begins at most 60 days before the last proven day (ledger-window.ts).
  IF NOT EXISTS (SELECT FROM ledger_proven_days p WHERE p.day >= until_day + 60) THEN
    RETURN NEXT 'no ledger check has proven the 60 days after it';
  END IF;
  SELECT count(*) INTO found FROM invocations i WHERE i.invocation_id >= from_id AND i.invocation_id < until_id
    AND i.status IN ('pending', 'running');
  IF found > 0 THEN RETURN NEXT found || ' calls have not ended'; END IF;
  SELECT count(*) INTO found FROM holds h WHERE h.invocation_id >= from_id AND h.invocation_id < until_id
    AND h.state = 'open';
  IF found > 0 THEN RETURN NEXT found || ' holds are open'; END IF;
  SELECT count(*) INTO found FROM earnings e WHERE e.invocation_id >= from_id AND e.invocation_id < until_id
    AND e.payout_id IS NULL AND e.recovered_units < e.net_units;
  IF found > 0 THEN RETURN NEXT found || ' earnings are not paid'; END IF;
  SELECT count(*) INTO found FROM earnings e JOIN payouts p USING (payout_id)
    WHERE e.invocation_id >= from_id AND e.invocation_id < until_id AND p.status IN ('reserving', 'pending', 'processing');
  IF found > 0 THEN RETURN NEXT found || ' earnings are in payouts that are on their way'; END IF;
  SELECT count(*) INTO found FROM disputes d WHERE d.invocation_id >= from_id AND d.invocation_id < until_id
    AND d.status IN ('open', 'contested');
  IF found > 0 THEN RETURN NEXT found || ' disputes are not decided'; END IF;
  SELECT count(*) INTO found FROM slash_calls c JOIN slashes s USING (slash_id)
    WHERE c.invocation_id >= from_id AND c.invocation_id < until_id AND s.status IN ('applied', 'contested');
  IF found > 0 THEN RETURN NEXT found || ' of its calls are in slashes that are not decided'; END IF;
END $$;

REVOKE ALL ON FUNCTION month_problems FROM PUBLIC, market_app;
