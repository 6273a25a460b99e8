-- Records the event of a refused payment, and fails the pending automatic top-up that it names. A top-up with a payment page
-- stays pending, because its payer can pay in another way.
-- Called by: src/stores/billing/payments.ts.
-- Locks: the event, then those of auto_topup_fail.
CREATE OR REPLACE FUNCTION payment_declined(
  provider_name text, event text, event_type text, named_topup text, reason text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF NOT payment_event_is_new(provider_name, event, event_type, NULL) THEN RETURN; END IF;
  PERFORM FROM topups t WHERE t.topup_id = named_topup AND t.provider = provider_name;
  IF FOUND THEN PERFORM auto_topup_fail(named_topup, reason); END IF;
END $$;

REVOKE ALL ON FUNCTION payment_declined FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payment_declined TO market_app;
