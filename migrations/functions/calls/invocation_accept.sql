-- Accepts or refuses calls, one result per item in order: everything that may refuse a call is decided in this one
-- statement, and a refusal writes nothing. Per buyer the decision is exact under any number of parallel calls: pending
-- rows count as spent, and free slots, keys, mandates and calls in flight are counted under the lock of the wallet.
-- is_former: calls still cost the price before that of the version.
-- refusal is null for an accepted call; else it names what is left of what the call lacks, and the reason of a mandate.
-- Plans are generic (docs/internals/statements.md#plans) and follow indexes: every statement finds its rows by key.
-- Called by: src/stores/calls/call-batches.ts.
-- Locks: for more than one call those of invocation_lock_buyers; then for each call those of invocation_admit.
CREATE OR REPLACE FUNCTION invocation_accept(items jsonb)
RETURNS TABLE (ord integer, outcome text, invocation_id text, price_units bigint, free boolean, refusal jsonb,
  is_former boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  call record;
BEGIN
  IF jsonb_array_length(items) > 1 THEN PERFORM invocation_lock_buyers(items); END IF;
  FOR ord IN 1 .. jsonb_array_length(items) LOOP
    call := invocation_admit(items -> ord - 1, 'pending');
    outcome := call.outcome;
    invocation_id := call.invocation_id;
    price_units := call.price_units;
    free := call.free;
    refusal := call.refusal;
    is_former := call.is_former;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION invocation_accept FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_accept TO market_app;
