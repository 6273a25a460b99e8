-- Locks the holds of these calls, and the accounts that their capture or void moves money from.
-- Called by: ledger_capture, ledger_void, invocation_lock_batch, invocation_sweep.
-- Locks: the holds in id order, then wallet and escrow of the buyers whose holds are open, in id order.
CREATE OR REPLACE FUNCTION ledger_lock_holds(invocation_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE buyers text[];
BEGIN
  WITH locked AS (
    SELECT h.buyer_user_id, h.state, h.amount_units FROM holds h
    WHERE h.invocation_id = ANY (ledger_lock_holds.invocation_ids) ORDER BY h.invocation_id FOR NO KEY UPDATE)
  SELECT array_agg(DISTINCT l.buyer_user_id) FILTER (WHERE l.state = 'open' AND l.amount_units > 0)
  INTO buyers FROM locked l;
  PERFORM ledger_lock(ARRAY(
    SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (buyers) AND a.kind IN ('wallet', 'escrow')));
END $$;

REVOKE ALL ON FUNCTION ledger_lock_holds FROM PUBLIC, market_app;
