-- Keeps a lot of earnings out of payouts while its dispute is open, or releases it.
-- Called by: dispute_open, dispute_resolve.
-- Locks: the developer's payable, which payout_reserve locks first too.
CREATE OR REPLACE FUNCTION dispute_mark_lot(invocation text, developer text, undecided boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM ledger_lock(ARRAY[ledger_account(developer, 'payable')]);
  UPDATE earnings e SET dispute_open = undecided WHERE e.invocation_id = invocation;
END $$;

REVOKE ALL ON FUNCTION dispute_mark_lot FROM PUBLIC, market_app;
