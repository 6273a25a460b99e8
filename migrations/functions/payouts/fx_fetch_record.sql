-- Records how a fetch of exchange rates ended. A fetch that ended like the one before it (same outcome, reason and
-- rate) is only counted, so that an hourly fetch of a daily document stays readable.
-- Called by: src/stores/payouts/exchange-rates.ts.
-- Locks: the advisory lock `fx_fetches`.
CREATE OR REPLACE FUNCTION fx_fetch_record(
  new_id text, from_source text, how text, why text, words text, said numeric, of_time timestamptz
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('fx_fetches'));
  UPDATE fx_fetches f SET last_at = now(), times = f.times + 1
    WHERE f.fetch_id = (SELECT max(l.fetch_id) FROM fx_fetches l)
      AND (f.source, f.outcome, f.reason, f.message, f.rate, f.observed_at)
        IS NOT DISTINCT FROM (from_source, how, why, words, said::numeric(14, 6), of_time);
  IF NOT FOUND THEN
    INSERT INTO fx_fetches (fetch_id, source, outcome, reason, message, rate, observed_at)
    VALUES (new_id, from_source, how, why, words, said, of_time);
  END IF;
END $$;

REVOKE ALL ON FUNCTION fx_fetch_record FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION fx_fetch_record TO market_app;
