-- Locks what a clawback needs and rolls up the hot accounts among it.
-- Called by: ledger_clawback.
-- Locks: the holds in id order, then the buyers' wallets, the developers' payable, wallet and bond, and fees, in id
-- order.
CREATE OR REPLACE FUNCTION ledger_lock_clawback(invocation_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  buyers text[];
  developers text[];
  account_ids bigint[];
BEGIN
  WITH locked AS (
    SELECT h.buyer_user_id, h.developer_user_id FROM holds h
    WHERE h.invocation_id = ANY (ledger_lock_clawback.invocation_ids) ORDER BY h.invocation_id FOR NO KEY UPDATE)
  SELECT array_agg(DISTINCT l.buyer_user_id), array_agg(DISTINCT l.developer_user_id)
  INTO buyers, developers FROM locked l;
  account_ids := ARRAY(
    SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (buyers) AND a.kind = 'wallet'
    UNION SELECT a.account_id FROM accounts a
      WHERE a.user_id = ANY (developers) AND a.kind IN ('payable', 'wallet', 'bond')
    UNION SELECT 4);
  PERFORM ledger_lock(account_ids);
  PERFORM ledger_roll_up_locked(account_ids);
END $$;

REVOKE ALL ON FUNCTION ledger_lock_clawback FROM PUBLIC, market_app;
