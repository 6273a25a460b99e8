-- Checks that a payment moves as X402_TRANSITIONS of src/domain/x402/payment-state.ts allows and that its terms stay.
-- Called by: trigger x402_payments_moves on x402_payments.
-- Locks: none.
CREATE OR REPLACE FUNCTION x402_payment_moves() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  mutable constant text[] := ARRAY['invocation_id', 'state', 'credits', 'sent_at', 'tx_hash', 'reason', 'due_at', 'ended_at'];
BEGIN
  IF (to_jsonb(NEW) - mutable) IS DISTINCT FROM (to_jsonb(OLD) - mutable) THEN
    RAISE EXCEPTION 'the terms of payment % are fixed', OLD.payment_id USING ERRCODE = '23514';
  END IF;
  IF NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) <> ALL (ARRAY[
      'held>settled', 'held>released', 'released>held', 'released>settled', 'released>expired']) THEN
    RAISE EXCEPTION 'a payment cannot go from % to %', OLD.state, NEW.state USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
