-- Fails a pending automatic top-up with a code; auto_topup_ended counts it and notifies its account. Returns whether it was
-- pending.
-- Called by: payment_declined, src/stores/billing/auto-topups.ts.
-- Locks: the top-up, then those of auto_topup_ended.
CREATE OR REPLACE FUNCTION auto_topup_fail(id text, reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE topups t SET status = 'failed', failure = reason, completed_at = now()
    WHERE t.topup_id = id AND t.automatic AND t.status = 'pending';
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION auto_topup_fail FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION auto_topup_fail TO market_app;
