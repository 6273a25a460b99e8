/**
 * ledger_capture: the end of a call that succeeded; reference `invocation/<id>/capture`. The hold is released to the
 * wallet and the charge taken from it in the same transaction, so that a buyer's list shows hold, release and charge,
 * each once and each with its running balance: escrow −hold, wallet +hold, wallet −gross, payable +net, fees +fee.
 * Makes one lot of earnings. A charge of 0 moves the hold back and makes no lot.
 * Outcomes: captured | already_captured | already_voided | already_disputed | no_hold.
 */
exports.up = (knex) =>
  knex.raw(`
  -- Locks the holds in id order, then wallet and escrow of the buyers whose holds are still open.
  CREATE FUNCTION ledger_lock_holds(invocation_ids text[]) RETURNS void
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

  CREATE FUNCTION ledger_capture(invocation_ids text[], gross_amounts bigint[], matures_ats timestamptz[])
  RETURNS SETOF ledger_result
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    result ledger_result;
    hold holds%ROWTYPE;
    gross bigint;
    fee bigint;
  BEGIN
    PERFORM ledger_lock_holds(invocation_ids);
    FOR i IN 1 .. cardinality(invocation_ids) LOOP
      result := ROW (i, NULL, NULL, NULL, NULL);
      SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = invocation_ids[i];
      IF NOT FOUND THEN
        result.outcome := 'no_hold';
        RETURN NEXT result;
        CONTINUE;
      ELSIF hold.state <> 'open' THEN
        result := ledger_resolution(hold, i);
        RETURN NEXT result;
        CONTINUE;
      END IF;
      gross := gross_amounts[i];
      IF gross IS NULL OR gross < 0 OR gross > hold.amount_units OR gross % 100 <> 0 THEN
        RAISE EXCEPTION 'cannot capture % of hold % over %', gross, hold.invocation_id, hold.amount_units
          USING ERRCODE = '23514';
      END IF;
      fee := gross * 3 / 100;
      UPDATE holds h SET state = 'captured', captured_units = gross, resolved_at = now()
        WHERE h.invocation_id = hold.invocation_id;
      IF gross > 0 THEN
        INSERT INTO earnings (invocation_id, developer_user_id, agent_id, gross_units, fee_units, net_units, matures_at)
        VALUES (hold.invocation_id, hold.developer_user_id, hold.agent_id, gross, fee, gross - fee, matures_ats[i]);
      END IF;
      result := ROW (i, 'captured', ledger_post_capture(hold, gross, fee), gross, NULL);
      result.wallet_units := ledger_wallet_units(hold.buyer_user_id);
      RETURN NEXT result;
    END LOOP;
  END $$;

  CREATE FUNCTION ledger_post_capture(hold holds, gross bigint, fee bigint) RETURNS text
  LANGUAGE plpgsql AS $$
  DECLARE
    wallet_id bigint;
    account_ids bigint[];
    entry_types text[] := ARRAY['invocation_release', 'invocation_release'];
    amounts bigint[] := ARRAY[-hold.amount_units, hold.amount_units];
  BEGIN
    IF hold.amount_units = 0 THEN
      RETURN NULL;
    END IF;
    wallet_id := ledger_account(hold.buyer_user_id, 'wallet');
    account_ids := ARRAY[ledger_account(hold.buyer_user_id, 'escrow'), wallet_id];
    IF gross > 0 THEN
      account_ids := account_ids || ARRAY[wallet_id, ledger_account(hold.developer_user_id, 'payable'), 4];
      entry_types := entry_types || ARRAY['invocation_charge', 'invocation_earning', 'platform_fee'];
      amounts := amounts || ARRAY[-gross, gross - fee, fee];
    END IF;
    RETURN ledger_post('invocation_charge', 'invocation/' || hold.invocation_id || '/capture', hold.invocation_id,
      hold.agent_id, 'Charge for ' || hold.agent_id, hold.trace_id, account_ids, entry_types, amounts);
  END $$;

  CREATE FUNCTION ledger_wallet_units(owner_user_id text) RETURNS bigint
  LANGUAGE sql STABLE AS $$
    SELECT a.balance_units FROM accounts a WHERE a.user_id = owner_user_id AND a.kind = 'wallet'
  $$;

  -- What capture and void answer about a hold that something else has resolved.
  CREATE FUNCTION ledger_resolution(hold holds, item integer) RETURNS ledger_result
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    RETURN ROW (
      item, 'already_' || hold.state,
      ledger_transaction_of('invocation/' || hold.invocation_id
        || CASE hold.state WHEN 'captured' THEN '/capture' ELSE '/void' END),
      coalesce(hold.captured_units, hold.amount_units), NULL)::ledger_result;
  END $$;

  REVOKE ALL ON FUNCTION ledger_lock_holds, ledger_capture, ledger_post_capture, ledger_wallet_units, ledger_resolution
    FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION ledger_capture TO market_app;
`);

exports.down = (knex) =>
  knex.raw(
    'DROP FUNCTION ledger_capture, ledger_post_capture, ledger_resolution, ledger_wallet_units, ledger_lock_holds;',
  );
