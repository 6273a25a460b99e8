-- Writes the notices that depend on time or on balances, each once: about API keys that expire within seven days, and about
-- wallets that hold less than their account has set (balance_alerts). A wallet that has held as much again can get another
-- notice. Keys that were made for less than seven days, or by another key, are left out. Returns how many it wrote.
-- Called by: src/stores/accounts/alerts.ts.
-- Locks: the keys and the alerts, skipping locked ones.
CREATE OR REPLACE FUNCTION account_alerts(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  written integer := 0;
  key     record;
  wallet  record;
BEGIN
  FOR key IN SELECT k.key_id, k.user_id, k.expires_at FROM api_keys k
      WHERE k.kind = 'key' AND k.deleted_at IS NULL AND k.expiry_told_at IS NULL AND k.parent_key_id IS NULL
        AND k.expires_at > now() AND k.expires_at < now() + interval '7 days' AND k.created_at < k.expires_at - interval '7 days'
      ORDER BY k.expires_at LIMIT most FOR NO KEY UPDATE SKIP LOCKED LOOP
    UPDATE api_keys k SET expiry_told_at = now() WHERE k.key_id = key.key_id;
    PERFORM notice_record('key.expiring', jsonb_build_object('key_id', key.key_id, 'expires_at', iso_time(key.expires_at)),
      ARRAY[key.user_id], NULL);
    written := written + 1;
  END LOOP;
  FOR wallet IN SELECT b.user_id, b.below_units, a.balance_units, b.told_at IS NULL AS is_news FROM balance_alerts b
      JOIN accounts a ON a.user_id = b.user_id AND a.kind = 'wallet'
      WHERE (a.balance_units < b.below_units) = (b.told_at IS NULL)
      ORDER BY b.user_id LIMIT most FOR UPDATE OF b SKIP LOCKED LOOP
    UPDATE balance_alerts b SET told_at = CASE WHEN wallet.is_news THEN now() END WHERE b.user_id = wallet.user_id;
    IF wallet.is_news THEN
      PERFORM notice_record('wallet.low', jsonb_build_object('available_credits', event_credits(wallet.balance_units),
        'below_credits', event_credits(wallet.below_units)), ARRAY[wallet.user_id], NULL);
      written := written + 1;
    END IF;
  END LOOP;
  RETURN written;
END $$;

REVOKE ALL ON FUNCTION account_alerts FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION account_alerts TO market_app;
