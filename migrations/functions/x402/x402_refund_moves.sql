-- Checks that a refund moves as TRANSFER_TRANSITIONS of src/domain/payouts/transfer.ts allows and that its terms stay.
-- Called by: trigger x402_refunds_moves on x402_refunds.
-- Locks: none.
CREATE OR REPLACE FUNCTION x402_refund_moves() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  mutable constant text[] := ARRAY['state', 'reason', 'tx_hash', 'due_at', 'ended_at', 'sealed'];
BEGIN
  IF (to_jsonb(NEW) - mutable) IS DISTINCT FROM (to_jsonb(OLD) - mutable) THEN
    RAISE EXCEPTION 'the terms of refund % are fixed', OLD.refund_id USING ERRCODE = '23514';
  END IF;
  IF NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) <> ALL (ARRAY[
      'pending>unknown', 'pending>confirmed', 'pending>failed', 'unknown>submitted', 'unknown>confirmed',
      'unknown>failed', 'submitted>confirmed', 'submitted>failed']) THEN
    RAISE EXCEPTION 'a refund cannot go from % to %', OLD.state, NEW.state USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
