-- Takes the next number of a series of documents. A series belongs to a kind of document, a legal entity and a UTC year.
-- Its numbers have no gaps, because its row is locked until the transaction ends.
-- Called by: billing_issue_invoice, billing_issue_note.
-- Locks: the row of the series.
CREATE OR REPLACE FUNCTION billing_next_number(
  prefix text, entity smallint, at timestamptz, OUT series_name text, OUT next_no bigint, OUT number text
) LANGUAGE plpgsql AS $$
BEGIN
  series_name := prefix || CASE WHEN entity > 1 THEN entity::text ELSE '' END || '-'
    || to_char(at AT TIME ZONE 'UTC', 'YYYY');
  INSERT INTO invoice_series AS s (series, last_number) VALUES (series_name, 1)
    ON CONFLICT (series) DO UPDATE SET last_number = s.last_number + 1 RETURNING s.last_number INTO next_no;
  number := series_name || '-' || lpad(next_no::text, greatest(6, length(next_no::text)), '0');
END $$;

REVOKE ALL ON FUNCTION billing_next_number FROM PUBLIC, market_app;
