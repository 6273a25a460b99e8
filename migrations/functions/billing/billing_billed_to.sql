-- Whom an invoice names as its buyer: the account and its billing details as they are now, without what is not set.
-- Called by: billing_issue_invoice, src/stores/billing/tax-settings.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION billing_billed_to(owner text) RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object('name', u.display_name, 'email', coalesce(d.receipts_email, u.email),
           'company', d.company, 'address', d.address, 'country', d.country, 'tax_number', d.tax_number,
           'reference', d.reference))
    FROM users u LEFT JOIN billing_details d ON d.user_id = u.user_id WHERE u.user_id = owner
$$;

REVOKE ALL ON FUNCTION billing_billed_to FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION billing_billed_to TO market_app;
