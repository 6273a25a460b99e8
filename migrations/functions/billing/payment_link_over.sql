-- Ends a pending top-up whose payment page has expired or was cancelled. Outcomes: failed | unchanged.
-- Called by: src/stores/billing/payments.ts.
-- Locks: the event, then the top-up.
CREATE OR REPLACE FUNCTION payment_link_over(provider_name text, event text, event_type text, named_topup text)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF NOT payment_event_is_new(provider_name, event, event_type, NULL) THEN RETURN 'unchanged'; END IF;
  UPDATE topups t SET status = 'failed', completed_at = now()
    WHERE t.topup_id = named_topup AND t.provider = provider_name AND t.status = 'pending';
  RETURN CASE WHEN FOUND THEN 'failed' ELSE 'unchanged' END;
END $$;

REVOKE ALL ON FUNCTION payment_link_over FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payment_link_over TO market_app;
