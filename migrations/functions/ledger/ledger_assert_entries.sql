-- Checks that the entries of each inserted transaction sum to zero. All entries of a transaction arrive in one
-- statement, so the check holds for every way to insert them.
-- Called by: trigger entries_sum_to_zero on entries.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_assert_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE bad text;
BEGIN
  SELECT e.transaction_id INTO bad FROM new_entries e GROUP BY e.transaction_id HAVING sum(e.amount_units) <> 0 LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'the entries of % do not sum to zero', bad USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
