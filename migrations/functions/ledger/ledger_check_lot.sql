-- The rules of a row of earnings: gross is net and fee, the fee is the percentage of the version, and clawbacks take at
-- most the net. A CHECK calls it, because Postgres parses the text of each CHECK again for every statement
-- (docs/internals/statements.md#checks). Raises the name of the rule that the row breaks.
-- Called by: CHECK earnings_split on earnings, CHECK earnings_split on archive.earnings.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_check_lot(
  gross_units bigint, net_units bigint, fee_units bigint, fee_percent smallint, recovered_units bigint
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  broken text := CASE
    WHEN gross_units <= 0 OR gross_units <> net_units + fee_units OR fee_units * 100 <> gross_units * fee_percent
      THEN 'earnings_split'
    WHEN recovered_units NOT BETWEEN 0 AND net_units THEN 'earnings_recovered' END;
BEGIN
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'a lot of % units breaks %', gross_units, broken
      USING ERRCODE = '23514', TABLE = 'earnings', CONSTRAINT = broken;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION ledger_check_lot FROM PUBLIC, market_app;
