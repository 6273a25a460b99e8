-- Writes a notice when a budget or a cap reaches 80 % or 100 % of its credits, each once in a window, and returns the highest
-- percentage that has one. `about` names the budget, or the key whose cap it is.
-- Called by: api_key_count_spending, budget_count_spending.
-- Locks: none; its caller has locked the row of the budget or the key.
CREATE OR REPLACE FUNCTION budget_told(account text, told integer, units bigint, cap bigint, about jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  percent integer := CASE WHEN cap IS NULL OR cap = 0 THEN 0 WHEN units >= cap THEN 100 WHEN units * 5 >= cap * 4 THEN 80 ELSE 0 END;
BEGIN
  IF percent <= told THEN RETURN told; END IF;
  PERFORM notice_record('budget.reached', jsonb_strip_nulls(about) || jsonb_build_object('percent', percent,
    'used_credits', event_credits(units), 'credits', event_credits(cap)), ARRAY[account], NULL);
  RETURN percent;
END $$;

REVOKE ALL ON FUNCTION budget_told FROM PUBLIC, market_app;
