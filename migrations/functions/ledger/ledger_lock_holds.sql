-- Locks the holds of these calls, and the accounts that their capture or void moves money from.
-- Called by: invocation_lock_batch, ledger_capture, ledger_void.
-- Locks: the holds in id order, then wallet and escrow of the buyers whose holds are open, in id order.
CREATE OR REPLACE FUNCTION ledger_lock_holds(invocation_ids text[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  id     text;
  locked record;
  buyers text[];
BEGIN
  -- One row per statement, because an array cannot select partitions.
  FOR id IN SELECT DISTINCT u.id FROM unnest(ledger_lock_holds.invocation_ids) u(id) ORDER BY 1 LOOP
    SELECT h.buyer_user_id, h.state, h.amount_units INTO locked FROM holds h
      WHERE h.invocation_id = id FOR NO KEY UPDATE;
    IF locked.state = 'open' AND locked.amount_units > 0 AND NOT locked.buyer_user_id = ANY (coalesce(buyers, '{}')) THEN
      buyers := buyers || locked.buyer_user_id;
    END IF;
  END LOOP;
  PERFORM ledger_lock(ARRAY(
    SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (buyers) AND a.kind IN ('wallet', 'escrow')));
END $$;

REVOKE ALL ON FUNCTION ledger_lock_holds FROM PUBLIC, market_app;
