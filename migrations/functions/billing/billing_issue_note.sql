-- Issues the credit note of a refund or chargeback that took its credits, or the debit note of a chargeback that was won
-- later, in the series of the entity that issued the invoice. All credit notes of an invoice together take back at most
-- its amount; the last one takes back what is left of the tax. An invoice without anything left has no further note, and
-- a reversal without a credit note has no debit note.
-- Called by: payment_give_back, payment_take_waiting.
-- Locks: the row of the series; the caller has locked the payment.
CREATE OR REPLACE FUNCTION billing_issue_note(
  note_kind text, reversal text, topup text, reversed_minor bigint, reversed_units bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  invoice invoices%ROWTYPE;
  before record;
  gross bigint;
  tax bigint;
  units bigint := reversed_units;
  numbered record;
BEGIN
  SELECT i.* INTO invoice FROM invoices i WHERE i.topup_id = topup;
  IF NOT FOUND THEN RETURN; END IF;
  IF note_kind = 'credit' THEN
    SELECT coalesce(sum(CASE n.kind WHEN 'credit' THEN n.amount_minor ELSE -n.amount_minor END), 0) AS gross,
           coalesce(sum(CASE n.kind WHEN 'credit' THEN n.tax_minor ELSE -n.tax_minor END), 0) AS tax
      INTO before FROM invoice_notes n WHERE n.invoice_id = invoice.invoice_id;
    gross := least(reversed_minor, invoice.amount_minor - before.gross);
    tax := least(gross, greatest(0,
      floor(invoice.tax_minor::numeric * (before.gross + gross) / invoice.amount_minor) - before.tax));
  ELSE
    SELECT n.amount_minor, n.tax_minor, n.amount_units INTO gross, tax, units
      FROM invoice_notes n WHERE n.reversal_id = reversal AND n.kind = 'credit';
  END IF;
  IF coalesce(gross, 0) <= 0 THEN RETURN; END IF;
  SELECT * INTO numbered FROM billing_next_number(
    CASE invoice.status WHEN 'sandbox' THEN 'SB' || left(upper(note_kind), 1)
      ELSE CASE note_kind WHEN 'credit' THEN 'CRN' ELSE 'DBN' END END,
    coalesce((invoice.issuer ->> 'entity_no')::smallint, 1::smallint), now());
  INSERT INTO invoice_notes (note_id, kind, number, series, series_no, invoice_id, reversal_id, user_id, amount_minor,
                             tax_minor, amount_units)
  VALUES (ledger_new_id('nte'), note_kind, numbered.number, numbered.series_name, numbered.next_no,
          invoice.invoice_id, reversal, invoice.user_id, gross, tax, units);
END $$;

REVOKE ALL ON FUNCTION billing_issue_note FROM PUBLIC, market_app;
