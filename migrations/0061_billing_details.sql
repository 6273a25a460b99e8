-- What an account's invoices name it by (ADR 0290): each invoice keeps what was true when it was issued.

-- migrate:up

CREATE TABLE billing_details (
  user_id         text PRIMARY KEY REFERENCES users,
  company         text CHECK (length(company) BETWEEN 1 AND 120),
  address         text CHECK (length(address) BETWEEN 1 AND 500),
  country         text CHECK (country ~ '^[A-Z]{2}$'),
  tax_number      text CHECK (length(tax_number) BETWEEN 1 AND 40),
  receipts_email  text CHECK (length(receipts_email) <= 254),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  CHECK (tax_number IS NULL OR country IS NOT NULL)
);
COMMENT ON COLUMN billing_details.address IS 'Lines, separated by line feeds';
GRANT SELECT, INSERT, UPDATE ON billing_details TO market_app;

ALTER TABLE invoices ADD COLUMN billed_to jsonb;
COMMENT ON COLUMN invoices.billed_to IS
  'Name, address and details of the buyer when it was issued; null on invoices that are older than this column';

-- migrate:down

ALTER TABLE invoices DROP COLUMN billed_to;
DROP TABLE billing_details;
