-- Checks that the terms of a lot of earnings stay as the capture wrote them, and that a part is returned once, and is less than
-- the whole.
-- Called by: trigger earnings_guard on earnings.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_guard_lot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.invocation_id, NEW.developer_user_id, NEW.agent_id, NEW.gross_units, NEW.fee_units, NEW.net_units,
      NEW.fee_percent, NEW.matures_at, NEW.created_at)
     IS DISTINCT FROM (OLD.invocation_id, OLD.developer_user_id, OLD.agent_id, OLD.gross_units, OLD.fee_units,
      OLD.net_units, OLD.fee_percent, OLD.matures_at, OLD.created_at)
     OR NEW.recovered_units < OLD.recovered_units
     OR (OLD.clawed_back_at IS NOT NULL AND NEW.clawed_back_at IS DISTINCT FROM OLD.clawed_back_at)
     OR (OLD.returned_units IS NOT NULL AND (NEW.returned_units, NEW.returned_fee_units, NEW.returned_net_units)
       IS DISTINCT FROM (OLD.returned_units, OLD.returned_fee_units, OLD.returned_net_units))
     OR num_nonnulls(NEW.returned_units, NEW.returned_fee_units, NEW.returned_net_units) NOT IN (0, 3)
     OR (NEW.returned_units IS NOT NULL AND NOT (NEW.clawed_back_at IS NULL AND NEW.returned_units > 0
       AND NEW.returned_units <= NEW.returned_fee_units + NEW.returned_net_units
       AND NEW.returned_fee_units + NEW.returned_net_units < NEW.gross_units
       AND NEW.returned_fee_units BETWEEN 0 AND NEW.fee_units AND NEW.returned_net_units BETWEEN 0 AND NEW.net_units)) THEN
    RAISE EXCEPTION 'the terms of lot % are fixed', OLD.invocation_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
