-- Accepts or refuses calls like invocation_accept, and places the hold of each accepted one with the permit to forward
-- it, in one transaction, for the process that has the bodies of the calls and forwards them next. The row of a call
-- begins as running. Each item also has the lease of its hold (lease_ms). One result per item, in order; an accepted call
-- has its permit.
-- Called by: src/stores/calls/call-batches.ts.
-- Locks: for more than one call those of invocation_lock_buyers; then for each call those of invocation_admit.
CREATE OR REPLACE FUNCTION invocation_accept_permit(items jsonb)
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
    call := invocation_admit(items -> ord - 1, 'running');
    outcome := call.outcome;
    invocation_id := call.invocation_id;
    price_units := call.price_units;
    free := call.free;
    refusal := call.refusal;
    is_former := call.is_former;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION invocation_accept_permit FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_accept_permit TO market_app;
