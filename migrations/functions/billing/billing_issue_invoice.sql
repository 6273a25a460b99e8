-- Issues the invoice of a completed top-up with the next number of its series, and returns its id. Numbers have no
-- gaps because the series row is locked until the transaction ends. It keeps the buyer's name and billing details as
-- they are now.
-- Called by: billing_complete_topups.
-- Locks: the row of the invoice series.
CREATE OR REPLACE FUNCTION billing_issue_invoice(topup topups) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  series_name text := CASE topup.provider WHEN 'sandbox' THEN 'SBX-' ELSE 'INV-' END
    || to_char(now() AT TIME ZONE 'UTC', 'YYYY');
  next_no bigint;
  new_invoice_id text := ledger_new_id('ivc');
BEGIN
  INSERT INTO invoice_series AS s (series, last_number) VALUES (series_name, 1)
    ON CONFLICT (series) DO UPDATE SET last_number = s.last_number + 1 RETURNING s.last_number INTO next_no;
  INSERT INTO invoices (invoice_id, number, series, series_no, topup_id, user_id, amount_minor, currency,
                        amount_units, status, billed_to)
  VALUES (new_invoice_id, series_name || '-' || lpad(next_no::text, 6, '0'), series_name, next_no, topup.topup_id,
          topup.user_id, topup.amount_minor, topup.currency, topup.amount_units,
          CASE topup.provider WHEN 'sandbox' THEN 'sandbox' ELSE 'paid' END,
          (SELECT jsonb_strip_nulls(jsonb_build_object('name', u.display_name,
                    'email', coalesce(d.receipts_email, u.email), 'company', d.company, 'address', d.address,
                    'country', d.country, 'tax_number', d.tax_number))
             FROM users u LEFT JOIN billing_details d ON d.user_id = u.user_id WHERE u.user_id = topup.user_id));
  RETURN new_invoice_id;
END $$;

REVOKE ALL ON FUNCTION billing_issue_invoice FROM PUBLIC, market_app;
