-- Refuses to move a carry into a payout of an earlier Monday than its own, and out of a payout.
-- Called by: trigger payout_carries_guard on payout_carries.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_guard_carry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.into_payout_id IS NOT NULL THEN
    RAISE EXCEPTION 'the carry of % is in payout %', OLD.payout_id, OLD.into_payout_id USING ERRCODE = '23514';
  ELSIF (SELECT p.as_of FROM payouts p WHERE p.payout_id = NEW.into_payout_id)
      < (SELECT p.as_of FROM payouts p WHERE p.payout_id = NEW.payout_id) THEN
    RAISE EXCEPTION 'the carry of % cannot go into %, a payout of an earlier Monday', NEW.payout_id,
      NEW.into_payout_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
