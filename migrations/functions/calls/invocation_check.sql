-- The rules of a row of invocations: known words, sizes that are not negative, and what an ended call has. A CHECK
-- calls it, because Postgres parses the text of each CHECK again for every statement
-- (docs/internals/statements.md#checks). Raises the name of the rule that the row breaks.
-- Called by: CHECK invocations_rules on invocations, CHECK invocations_rules on archive.invocations.
-- Locks: none.
CREATE OR REPLACE FUNCTION invocation_check(
  invocation_id text, surface text, status text, price_units bigint, free boolean, free_month date,
  idempotency_key text, input_bytes integer, output_bytes integer, truncated_by text, charged_units bigint,
  settled_at timestamptz
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  broken text := CASE
    WHEN invocation_id !~ '^inv_[0-9a-f]{32}$' THEN 'invocations_invocation_id_check'
    WHEN surface NOT IN ('invoke', 'chat', 'use', 'mcp', 'a2a') THEN 'invocations_surface_check'
    WHEN status NOT IN ('pending', 'running', 'succeeded', 'failed', 'disputed') THEN 'invocations_status_check'
    WHEN price_units < 0 THEN 'invocations_price_units_check'
    WHEN free <> (free_month IS NOT NULL) THEN 'invocations_free_month_check'
    WHEN length(idempotency_key) > 400 THEN 'invocations_idempotency_key_check'
    WHEN input_bytes < 0 THEN 'invocations_input_bytes_check'
    WHEN output_bytes < 0 THEN 'invocations_output_bytes_check'
    WHEN truncated_by NOT IN ('ceiling', 'client_closed') THEN 'invocations_truncated_by_check'
    WHEN status = 'succeeded' AND charged_units IS NULL THEN 'invocations_charged_units_check'
    WHEN settled_at IS NULL AND status IN ('succeeded', 'failed', 'disputed') THEN 'invocations_settled_at_check' END;
BEGIN
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'call % breaks %', left(invocation_id, 40), broken
      USING ERRCODE = '23514', TABLE = 'invocations', CONSTRAINT = broken;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION invocation_check FROM PUBLIC, market_app;
