-- Returns the position in a developer's lots, by maturity, up to which every lot is in a payout, used up, or late.
-- Called by: ledger_recover_from_lots, src/stores/payouts/payouts.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_unpaid_from(developer text, OUT matures_at timestamptz, OUT invocation_id text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT c.matures_at, c.invocation_id INTO matures_at, invocation_id FROM payout_cursors c
    WHERE c.developer_user_id = developer ORDER BY c.matures_at, c.invocation_id LIMIT 1;
  matures_at := coalesce(matures_at, '-infinity');
  invocation_id := coalesce(invocation_id, '');
END $$;

REVOKE ALL ON FUNCTION payout_unpaid_from FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_unpaid_from TO market_app;
