/**
 * Deposits and withdrawals of a bond, each with its money in one transaction. Lock order: the bond's row, accounts in
 * id order, agents. A deposit never lowers the tier: who was slashed still owes the minimum that was promised.
 */
exports.up = (knex) =>
  knex.raw(`
  -- outcome: deposited | insufficient.
  CREATE FUNCTION bond_deposit(id text, developer text, units bigint, trace text, as_of timestamptz) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    bond bonds := bond_lock(developer);
    wallet_id bigint := ledger_account(developer, 'wallet');
    bond_id bigint := ledger_account(developer, 'bond');
  BEGIN
    PERFORM ledger_lock(ARRAY[wallet_id, bond_id]);
    IF ledger_wallet_units(developer) < units THEN
      RETURN 'insufficient';
    END IF;
    PERFORM ledger_post('bond_deposit', 'bond/' || id || '/deposit', NULL, NULL, 'Deposit into the bond', trace,
      ARRAY[wallet_id, bond_id], ARRAY['bond_deposit', 'bond_deposit'], ARRAY[-units, units]);
    UPDATE bonds b SET tier = bond_tier_of(greatest(bond_balance(developer, 'bond'), bond_tier_minimum(bond.tier))),
      updated_at = now() WHERE b.developer_user_id = developer;
    PERFORM bond_cover_shortfall(developer, as_of);
    PERFORM developer_standing_refresh(developer);
    RETURN 'deposited';
  END $$;

  -- Notice of a withdrawal. outcome: noticed | insufficient (with what is under notice already).
  CREATE FUNCTION bond_withdraw(id text, developer text, units bigint, notice_ms bigint, trace text, as_of timestamptz)
  RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE under_notice bigint;
  BEGIN
    PERFORM bond_lock(developer);
    SELECT coalesce(sum(w.requested_units), 0) INTO under_notice FROM bond_withdrawals w
      WHERE w.developer_user_id = developer AND w.status IN ('noticed', 'waiting');
    IF bond_balance(developer, 'bond') < under_notice + units THEN
      RETURN 'insufficient';
    END IF;
    INSERT INTO bond_withdrawals (withdrawal_id, developer_user_id, requested_units, requested_at, due_at, trace_id)
    VALUES (id, developer, units, as_of, as_of + notice_ms * interval '1 millisecond', trace);
    RETURN 'noticed';
  END $$;

  -- Pays withdrawals whose notice is over, in the order of their notices, unless a slash is not decided yet: then they
  -- wait, and the end of the last slash pays them. What slashes have left is paid, at most what was asked for.
  CREATE FUNCTION bond_pay_waiting(developer text, as_of timestamptz) RETURNS void
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

  -- The end of a notice; the status that the withdrawal has then. A repetition changes nothing.
  CREATE FUNCTION bond_withdraw_end(id text, as_of timestamptz) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    developer text;
    result text;
  BEGIN
    SELECT w.developer_user_id INTO STRICT developer FROM bond_withdrawals w WHERE w.withdrawal_id = id;
    PERFORM bond_lock(developer);
    UPDATE bond_withdrawals w SET status = 'waiting' WHERE w.withdrawal_id = id AND w.status = 'noticed';
    PERFORM bond_pay_waiting(developer, as_of);
    SELECT w.status INTO STRICT result FROM bond_withdrawals w WHERE w.withdrawal_id = id;
    RETURN result;
  END $$;

  REVOKE ALL ON FUNCTION bond_deposit, bond_withdraw, bond_pay_waiting, bond_withdraw_end FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION bond_deposit, bond_withdraw, bond_withdraw_end TO market_app;
`);

exports.down = (knex) =>
  knex.raw('DROP FUNCTION bond_withdraw_end, bond_pay_waiting, bond_withdraw, bond_deposit;');
