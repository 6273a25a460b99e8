-- Begins an automatic top-up if its account still needs one: inserts a pending top-up over the priced amount, which the caller
-- then charges outside of the transaction. However many processes try at once, one of them begins it.
-- Outcomes: begun | not_due | limited (the most of the day or the month is reached; the next attempt waits ten minutes).
-- Called by: src/stores/billing/auto-topups.ts.
-- Locks: the settings of automatic top-ups of the account.
CREATE OR REPLACE FUNCTION auto_topup_begin(
  account text, method text, new_topup text, minor bigint, units bigint, spot numeric, spot_at timestamptz,
  spread numeric, trace text, lease_ms integer, tax bigint, tax_terms jsonb
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  wish auto_topups%ROWTYPE;
  way  saved_methods%ROWTYPE;
  zone text;
BEGIN
  SELECT a.* INTO wish FROM auto_topups a WHERE a.user_id = account FOR NO KEY UPDATE;
  IF NOT FOUND OR wish.stopped_for IS NOT NULL OR wish.try_at > now() OR wish.method_id <> method
    OR ledger_wallet_units(account) >= wish.below_units OR wallet_is_frozen(account)
    OR EXISTS (SELECT FROM topups t WHERE t.user_id = account AND t.automatic AND t.status = 'pending') THEN
    RETURN 'not_due';
  END IF;
  SELECT s.* INTO way FROM saved_methods s WHERE s.method_id = wish.method_id AND s.ended_at IS NULL;
  IF NOT FOUND THEN RETURN 'not_due'; END IF;
  SELECT u.time_zone INTO zone FROM users u WHERE u.user_id = account;
  IF (SELECT count(*) FROM topups t WHERE t.user_id = account AND t.automatic AND t.status <> 'failed'
        AND t.created_at >= budget_window_start('day', now(), zone)) >= wish.max_per_day
    OR (SELECT coalesce(sum(t.amount_units), 0) FROM topups t WHERE t.user_id = account AND t.automatic
        AND t.status <> 'failed' AND t.created_at >= budget_window_start('month', now(), zone)) + units > wish.max_month_units THEN
    UPDATE auto_topups a SET try_at = now() + interval '10 minutes' WHERE a.user_id = account;
    RETURN 'limited';
  END IF;
  INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, trace_id, rate, rate_at,
      spread_percent, automatic, method_id, lease_until, tax_minor, terms)
    VALUES (new_topup, account, minor, way.currency, units, way.provider, trace, spot, spot_at, spread, true,
      way.method_id, now() + lease_ms * interval '1 millisecond', tax, tax_terms);
  RETURN 'begun';
END $$;

REVOKE ALL ON FUNCTION auto_topup_begin FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION auto_topup_begin TO market_app;
