-- Checks that only a quarantined payment is changed, that it changes to a resolved state, and that its terms stay.
-- Called by: trigger payments_guard on payments.
-- Locks: none.
CREATE OR REPLACE FUNCTION payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> 'quarantined' OR NEW.state NOT LIKE 'resolved%'
     OR (NEW.payment_id, NEW.provider, NEW.reference, NEW.amount_minor, NEW.currency, NEW.topup_id,
         NEW.quarantine_reason, NEW.received_at)
       IS DISTINCT FROM (OLD.payment_id, OLD.provider, OLD.reference, OLD.amount_minor, OLD.currency, OLD.topup_id,
         OLD.quarantine_reason, OLD.received_at) THEN
    RAISE EXCEPTION 'payment % is %', OLD.payment_id, OLD.state USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;

REVOKE ALL ON FUNCTION payment_guard FROM PUBLIC, market_app;
