-- Refuses to change a lot that is in a payout.
-- Called by: trigger earnings_one_payout on earnings.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_guard_lot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'lot % is in payout %', OLD.invocation_id, OLD.payout_id USING ERRCODE = '23514';
END $$;
