-- Notes the business reference of each new transaction: a reference is unique over all months, and a partition alone
-- can only keep it unique within its own. The steps of a call need no such row: their transactions are named by the
-- hold of the call, which has one hold and one end.
-- Called by: trigger transactions_reference on transactions.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_note_reference() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO transaction_references (reference, transaction_id) VALUES (NEW.reference, NEW.transaction_id);
  RETURN NULL;
END $$;
