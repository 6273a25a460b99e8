-- Captures holds, each as ledger_capture_one does, in one transaction; usage does not count them.
-- Outcomes: captured | already_captured | already_voided | already_disputed | no_hold.
-- Called by: src/stores/ledger/ledger-moves.ts.
-- Locks: for more than one call those of ledger_lock_holds; then those of ledger_capture_one.
CREATE OR REPLACE FUNCTION ledger_capture(invocation_ids text[], gross_amounts bigint[], matures_ats timestamptz[])
RETURNS SETOF ledger_result
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE result ledger_result;
BEGIN
  IF cardinality(invocation_ids) > 1 THEN PERFORM ledger_lock_holds(invocation_ids); END IF;
  FOR i IN 1 .. cardinality(invocation_ids) LOOP
    result := ledger_capture_one(invocation_ids[i], gross_amounts[i], matures_ats[i], NULL, NULL, false);
    result.ordinality := i;
    RETURN NEXT result;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION ledger_capture FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_capture TO market_app;
