-- The rules of a row of holds: whole credits, one resolution, and a capture of at most what is held. A CHECK calls it,
-- because Postgres parses the text of each CHECK again for every statement (docs/internals/statements.md#checks).
-- Raises the name of the rule that the row breaks.
-- Called by: CHECK holds_rules on holds, CHECK holds_rules on archive.holds.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_check_hold(
  invocation_id text, amount_units bigint, state text, captured_units bigint, resolved_at timestamptz
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  broken text := CASE
    WHEN invocation_id !~ '^inv_[0-9a-f]{32}$' THEN 'holds_invocation_id_check'
    WHEN amount_units < 0 OR amount_units % 100 <> 0 THEN 'holds_whole_credits'
    WHEN state NOT IN ('open', 'captured', 'voided', 'disputed') THEN 'holds_state'
    WHEN (state = 'open') <> (resolved_at IS NULL) THEN 'holds_one_resolution'
    WHEN (state = 'captured') <> (captured_units IS NOT NULL) OR captured_units NOT BETWEEN 0 AND amount_units
      OR captured_units % 100 <> 0 THEN 'holds_capture' END;
BEGIN
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'hold % breaks %', left(invocation_id, 40), broken
      USING ERRCODE = '23514', TABLE = 'holds', CONSTRAINT = broken;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION ledger_check_hold FROM PUBLIC, market_app;
