-- Gives the amount of a final slash to the buyers of its calls, each at most what is left of the charge; the rest, if
-- calls were refunded otherwise since the slash was applied, goes back to the bond. A slash with refund = none is a
-- penalty: slash_hold → platform, reference `slash/<id>/penalty`. One of a broken warranty goes to the buyers of
-- its month (slash_remedy). Returns what went back to the bond.
-- Called by: slash_resolve.
-- Locks: the developer's wallet, payable, bond and slash_hold and the buyers' wallets, in id order; payable guards the
-- lots, so that no dispute takes one back while they are weighed.
CREATE OR REPLACE FUNCTION slash_refund(slash slashes) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  hold_id bigint := ledger_account(slash.developer_user_id, 'slash_hold');
  call record;
  rest bigint;
BEGIN
  -- payable guards the developer's lots: no dispute takes one back while they are weighed.
  PERFORM ledger_lock(ARRAY(
    SELECT a.account_id FROM accounts a WHERE a.user_id = slash.developer_user_id
      AND a.kind IN ('wallet', 'payable', 'bond', 'slash_hold')
    UNION SELECT a.account_id FROM accounts a WHERE a.kind = 'wallet'
      AND a.user_id IN (SELECT c.buyer_user_id FROM slash_calls c WHERE c.slash_id = slash.slash_id
        UNION ALL SELECT b.buyer_user_id FROM slash_buyers b WHERE b.slash_id = slash.slash_id)));
  IF slash.refund = 'none' THEN
    UPDATE slash_calls c SET refund_units = 0 WHERE c.slash_id = slash.slash_id;
    PERFORM ledger_post('slash_penalty', 'slash/' || slash.slash_id || '/penalty', NULL, slash.agent_id,
      'Penalty after a slash of ' || slash.agent_id, slash.trace_id, ARRAY[hold_id, 5],
      ARRAY['slash_penalty', 'slash_penalty'], ARRAY[-slash.amount_units, slash.amount_units]);
    RETURN 0;
  END IF;
  IF slash.refund = 'warranty' THEN
    PERFORM slash_remedy(slash);
    RETURN 0;
  END IF;
  rest := slash.amount_units - slash_split(slash);
  FOR call IN SELECT c.* FROM slash_calls c WHERE c.slash_id = slash.slash_id AND c.refund_units > 0
    ORDER BY c.invocation_id LOOP
    PERFORM ledger_post('slash_refund', 'slash/' || slash.slash_id || '/refund/' || call.invocation_id,
      call.invocation_id, slash.agent_id, 'Refund after a slash of ' || slash.agent_id, slash.trace_id,
      ARRAY[hold_id, ledger_account(call.buyer_user_id, 'wallet')], ARRAY['slash_refund', 'slash_refund'],
      ARRAY[-call.refund_units, call.refund_units]);
  END LOOP;
  IF rest > 0 THEN
    PERFORM slash_return(slash, rest);
  END IF;
  RETURN rest;
END $$;

REVOKE ALL ON FUNCTION slash_refund FROM PUBLIC, market_app;
