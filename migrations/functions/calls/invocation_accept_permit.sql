-- Accepts or refuses calls like invocation_accept, and places the hold of each accepted one with the permit to forward it,
-- in one transaction, for the process that has the bodies of the calls and forwards them next. The row of a call begins
-- as running. Each item also has the lease of its hold (lease_ms). One result per item, in order; permit is null for a
-- call that was not accepted.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: the buyers' wallets in id order, then their counters of free calls, then for each call its mandates, root first,
-- and the escrow of its buyer. Every transaction locks the wallet of a buyer before mandates and escrow, so the order of
-- these two does not matter.
CREATE OR REPLACE FUNCTION invocation_accept_permit(items jsonb)
RETURNS TABLE (ord integer, outcome text, invocation_id text, price_units bigint, free boolean, refusal jsonb, permit text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  item jsonb;
  call record;
  hold holds%ROWTYPE;
BEGIN
  IF jsonb_array_length(items) = 1 THEN
    PERFORM FROM accounts a WHERE a.user_id = items -> 0 ->> 'buyer_user_id' AND a.kind = 'wallet' FOR NO KEY UPDATE;
  ELSE
    PERFORM invocation_lock_buyers(items);
  END IF;
  FOR ord IN 1 .. jsonb_array_length(items) LOOP
    item := items -> ord - 1;
    call := invocation_admit(item, 'running');
    outcome := call.outcome;
    invocation_id := call.invocation_id;
    price_units := call.price_units;
    free := call.free;
    refusal := call.refusal;
    permit := NULL;
    IF outcome = 'accepted' THEN
      INSERT INTO holds AS h (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units,
                              lease_until, trace_id, forwarded_at, forward_count)
      VALUES (call.invocation_id, item ->> 'buyer_user_id', call.developer, item ->> 'agent_id', item ->> 'version_id',
              call.price_units, now() + (item ->> 'lease_ms')::integer * interval '1 millisecond', item ->> 'trace_id',
              now(), 1)
      RETURNING h.* INTO hold;
      PERFORM ledger_post_call(hold, 'hold', 0, 0, NULL);
      permit := 'granted';
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION invocation_accept_permit FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_accept_permit TO market_app;
