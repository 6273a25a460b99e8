-- Keeps the payment method of a top-up that succeeded and whose payer wanted to save it. Repeated calls keep it once.
-- Called by: src/stores/billing/saved-methods.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION saved_method_keep(
  id text, topup text, provider_name text, customer text, method text, name text
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO saved_methods (method_id, user_id, provider, customer_ref, method_ref, label, currency)
    SELECT id, t.user_id, t.provider, customer, method, name, t.currency FROM topups t
     WHERE t.topup_id = topup AND t.provider = provider_name AND t.saves_method AND t.status = 'succeeded'
    ON CONFLICT ON CONSTRAINT saved_methods_once DO NOTHING
$$;

REVOKE ALL ON FUNCTION saved_method_keep FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION saved_method_keep TO market_app;
