-- Returns whether the call of a payment runs, was answered or was disputed. A call that failed does not stand: the same
-- payment may buy another one.
-- Called by: x402_payment_open.
-- Locks: none.
CREATE OR REPLACE FUNCTION x402_payment_call_stands(call_id text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT i.status <> 'failed' FROM invocations i WHERE i.invocation_id = call_id), false)
$$;

REVOKE ALL ON FUNCTION x402_payment_call_stands FROM PUBLIC, market_app;
