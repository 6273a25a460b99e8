-- Accepts or refuses one call like invocation_accept, and places the hold of an accepted one with the permit to forward
-- it, in one transaction, for the process that has the body of the call and forwards it next. The row of the call begins
-- as running. permit is null when the call was not accepted.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: the buyer's wallet, then those of invocation_admit, then the buyer's escrow. Every transaction locks the wallet
-- of a buyer before mandates and escrow, so the order of these two does not matter.
CREATE OR REPLACE FUNCTION invocation_accept_forward(item jsonb, lease_ms integer)
RETURNS TABLE (outcome text, invocation_id text, price_units bigint, free boolean, refusal jsonb, permit text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  call record;
  hold holds%ROWTYPE;
BEGIN
  PERFORM FROM accounts a WHERE a.user_id = item ->> 'buyer_user_id' AND a.kind = 'wallet' FOR NO KEY UPDATE;
  call := invocation_admit(item, 'running');
  outcome := call.outcome;
  invocation_id := call.invocation_id;
  price_units := call.price_units;
  free := call.free;
  refusal := call.refusal;
  IF outcome = 'accepted' THEN
    INSERT INTO holds AS h (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units,
                            lease_until, trace_id, forwarded_at, forward_count)
    VALUES (call.invocation_id, item ->> 'buyer_user_id', call.developer, item ->> 'agent_id', item ->> 'version_id',
            call.price_units, now() + lease_ms * interval '1 millisecond', item ->> 'trace_id', now(), 1)
    RETURNING h.* INTO hold;
    PERFORM ledger_post_call(hold, 'hold', 0, 0, NULL);
    permit := 'granted';
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION invocation_accept_forward FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_accept_forward TO market_app;
