-- Runs invocation_accept for one call and, when it is accepted, invocation_hold_forward, in one transaction, for the
-- process that has the body of the call and forwards it next. permit is null when the call was not accepted or not held.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: the buyer's wallet and escrow, then those of invocation_accept, then the hold.
CREATE OR REPLACE FUNCTION invocation_accept_forward(item jsonb, lease_ms integer)
RETURNS TABLE (outcome text, invocation_id text, price_units bigint, free boolean, refusal jsonb, permit text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  -- The escrow is locked here and not after the mandates, because a settlement locks it before them.
  PERFORM ledger_lock(ARRAY(SELECT a.account_id FROM accounts a
    WHERE a.user_id = item ->> 'buyer_user_id' AND a.kind IN ('wallet', 'escrow')));
  SELECT a.outcome, a.invocation_id, a.price_units, a.free, a.refusal
    INTO STRICT outcome, invocation_id, price_units, free, refusal
    FROM invocation_accept(jsonb_build_array(item)) a;
  IF outcome = 'accepted' THEN
    SELECT f.permit INTO STRICT permit FROM invocation_hold_forward(invocation_id, lease_ms) f;
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION invocation_accept_forward FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_accept_forward TO market_app;
