-- Checks that a transfer moves as TRANSFER_TRANSITIONS of src/domain/payouts/transfer.ts allows and that its terms
-- stay.
-- Called by: trigger payout_transfer_moves on payout_transfers.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_transfer_moves() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  mutable constant text[] := ARRAY['state', 'reason', 'tx_hash', 'sent_at', 'ended_at', 'sealed'];
BEGIN
  IF (to_jsonb(NEW) - mutable) IS DISTINCT FROM (to_jsonb(OLD) - mutable) THEN
    RAISE EXCEPTION 'the terms of transfer % are fixed', OLD.transfer_id USING ERRCODE = '23514';
  END IF;
  IF NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) <> ALL (ARRAY[
      'pending>unknown', 'pending>confirmed', 'pending>failed', 'unknown>submitted', 'unknown>confirmed',
      'unknown>failed', 'submitted>confirmed', 'submitted>failed']) THEN
    RAISE EXCEPTION 'a transfer cannot go from % to %', OLD.state, NEW.state USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
