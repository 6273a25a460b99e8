-- The buyer's own reference on invoices, such as the number of a purchase order (ADR 0361).

-- migrate:up

ALTER TABLE billing_details ADD COLUMN reference text CHECK (length(reference) BETWEEN 1 AND 100);
COMMENT ON COLUMN billing_details.reference IS 'Of the buyer, such as the number of a purchase order';

-- migrate:down

ALTER TABLE billing_details DROP COLUMN reference;
