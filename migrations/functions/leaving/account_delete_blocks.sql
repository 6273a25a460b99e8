-- What blocks the deletion of an account, as codes of src/domain/leaving/deletion.ts; empty if nothing does. `forfeits`:
-- credits in the wallet do not block it.
-- Called by: src/stores/leaving/deletions.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION account_delete_blocks(owner_id text, forfeits boolean) RETURNS text[]
LANGUAGE sql STABLE AS $$
  WITH held AS (
    SELECT a.kind, a.balance_units AS units FROM account_balances a WHERE a.user_id = owner_id AND a.balance_units <> 0)
  SELECT array_remove(ARRAY[
    CASE WHEN EXISTS (SELECT FROM held WHERE kind = 'escrow')
      OR EXISTS (SELECT FROM open_calls c WHERE c.buyer_user_id = owner_id)
      OR EXISTS (SELECT FROM agents a JOIN open_calls c ON c.agent_id = a.agent_id WHERE a.developer_user_id = owner_id)
      THEN 'open_calls' END,
    CASE WHEN EXISTS (SELECT FROM disputes d WHERE d.buyer_user_id = owner_id AND d.status IN ('open', 'contested'))
      OR EXISTS (SELECT FROM disputes d WHERE d.developer_user_id = owner_id AND d.status IN ('open', 'contested'))
      THEN 'open_disputes' END,
    CASE WHEN EXISTS (SELECT FROM held WHERE kind = 'payable') THEN 'unpaid_earnings' END,
    CASE WHEN EXISTS (SELECT FROM payouts p WHERE p.developer_user_id = owner_id
      AND p.status IN ('reserving', 'pending', 'processing')) THEN 'running_payouts' END,
    CASE WHEN EXISTS (SELECT FROM held WHERE kind = 'bond')
      OR EXISTS (SELECT FROM bond_withdrawals w WHERE w.developer_user_id = owner_id AND w.status IN ('noticed', 'waiting'))
      THEN 'bond' END,
    CASE WHEN EXISTS (SELECT FROM held WHERE kind = 'slash_hold')
      OR EXISTS (SELECT FROM slashes s WHERE s.developer_user_id = owner_id AND s.status IN ('applied', 'contested'))
      THEN 'open_slashes' END,
    CASE WHEN EXISTS (SELECT FROM clawback_debts d WHERE d.developer_user_id = owner_id AND d.owed_units > d.repaid_units)
      OR EXISTS (SELECT FROM payment_reversals r WHERE r.user_id = owner_id AND r.owed_units > 0) THEN 'debts' END,
    CASE WHEN EXISTS (SELECT FROM topups t WHERE t.user_id = owner_id AND t.status = 'pending'
      AND (t.provider_reference IS NOT NULL OR t.automatic OR t.created_at > now() - interval '1 day')) THEN 'pending_topups' END,
    CASE WHEN EXISTS (SELECT FROM frozen_wallets f WHERE f.user_id = owner_id AND f.cause = 'operator')
      THEN 'frozen_wallet' END,
    CASE WHEN NOT forfeits AND EXISTS (SELECT FROM held WHERE kind = 'wallet') THEN 'wallet' END,
    CASE WHEN EXISTS (SELECT FROM organisation_members m JOIN organisations o ON o.org_id = m.org_id
      WHERE m.user_id = owner_id AND m.role = 'owner' AND o.ended_at IS NULL
        AND NOT EXISTS (SELECT FROM organisation_members n JOIN users c ON c.user_id = n.user_id
          WHERE n.org_id = m.org_id AND n.role = 'owner' AND n.user_id <> m.user_id AND c.closed_at IS NULL)) THEN 'only_owner' END,
    CASE WHEN EXISTS (SELECT FROM users u WHERE u.user_id = owner_id AND u.role = 'operator') THEN 'operator' END], NULL)
$$;

REVOKE ALL ON FUNCTION account_delete_blocks FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION account_delete_blocks TO market_app;
