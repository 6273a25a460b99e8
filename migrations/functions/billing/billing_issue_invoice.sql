-- Issues the invoice of a completed top-up with the next number of its series, and returns its id. Issuer, buyer and tax
-- are those of the terms of the top-up; without terms, the buyer is named as the account is now.
-- Called by: billing_complete_topups.
-- Locks: the row of the invoice series.
CREATE OR REPLACE FUNCTION billing_issue_invoice(topup topups) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  numbered record;
  new_invoice_id text := ledger_new_id('ivc');
BEGIN
  SELECT * INTO numbered FROM billing_next_number(CASE topup.provider WHEN 'sandbox' THEN 'SBX' ELSE 'INV' END,
    coalesce((topup.terms #>> '{issuer,entity_no}')::smallint, 1::smallint), now());
  INSERT INTO invoices (invoice_id, number, series, series_no, topup_id, user_id, amount_minor, currency,
                        amount_units, status, billed_to, tax_minor, issuer, tax)
  VALUES (new_invoice_id, numbered.number, numbered.series_name, numbered.next_no, topup.topup_id,
          topup.user_id, topup.amount_minor, topup.currency, topup.amount_units,
          CASE topup.provider WHEN 'sandbox' THEN 'sandbox' ELSE 'paid' END,
          coalesce(topup.terms -> 'billed_to', billing_billed_to(topup.user_id)),
          topup.tax_minor, topup.terms -> 'issuer', topup.terms -> 'tax');
  RETURN new_invoice_id;
END $$;

REVOKE ALL ON FUNCTION billing_issue_invoice FROM PUBLIC, market_app;
