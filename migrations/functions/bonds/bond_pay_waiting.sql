-- Pays withdrawals whose notice is over, in the order of their notices, at most what slashes have left. While a slash
-- is undecided they wait, and the end of the last slash pays them.
-- Called by: bond_withdraw_end, slash_resolve.
-- Locks: wallet and bond account in id order, then the developer's agents; the caller has locked the bond.
CREATE OR REPLACE FUNCTION bond_pay_waiting(developer text, as_of timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  withdrawal bond_withdrawals%ROWTYPE;
  wallet_id bigint := ledger_account(developer, 'wallet');
  bond_id bigint := ledger_account(developer, 'bond');
  units bigint;
BEGIN
  PERFORM ledger_lock(ARRAY[wallet_id, bond_id]);
  IF bond_balance(developer, 'slash_hold') > 0 THEN RETURN; END IF;
  FOR withdrawal IN SELECT w.* FROM bond_withdrawals w
    WHERE w.developer_user_id = developer AND w.status = 'waiting' ORDER BY w.withdrawal_id LOOP
    units := least(withdrawal.requested_units, bond_balance(developer, 'bond'));
    UPDATE bond_withdrawals w SET status = CASE WHEN units > 0 THEN 'paid' ELSE 'void' END, paid_units = units,
      completed_at = as_of WHERE w.withdrawal_id = withdrawal.withdrawal_id;
    IF units > 0 THEN
      PERFORM ledger_post('bond_release', 'bond/' || withdrawal.withdrawal_id || '/release', NULL, NULL,
        'Withdrawal from the bond', withdrawal.trace_id, ARRAY[bond_id, wallet_id],
        ARRAY['bond_release', 'bond_release'], ARRAY[-units, units]);
    END IF;
    UPDATE bonds b SET tier = bond_tier_of(bond_balance(developer, 'bond')), updated_at = now()
      WHERE b.developer_user_id = developer;
    PERFORM bond_notify(developer, 'bond_released', NULL, NULL, jsonb_build_object('withdrawal_id',
      withdrawal.withdrawal_id, 'credits', event_credits(units)), as_of);
    PERFORM developer_standing_refresh(developer);
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION bond_pay_waiting FROM PUBLIC, market_app;
