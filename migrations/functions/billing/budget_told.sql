-- Writes a notice when a budget or a cap reaches 80 % or 100 % of its credits, each once in a window, and returns the highest
-- percentage that has one. `about` names the budget, or the key whose cap it is. The member whose budget it is gets a notice,
-- too, unless those of the organisation are mailed to the member's role.
-- Called by: api_key_count_spending, budget_count_spending.
-- Locks: none; its caller has locked the row of the budget or the key.
CREATE OR REPLACE FUNCTION budget_told(account text, told integer, units bigint, cap bigint, about jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  member  text := about ->> 'member_user_id';
  percent integer := CASE WHEN cap IS NULL OR cap = 0 THEN 0 WHEN units >= cap THEN 100 WHEN units * 5 >= cap * 4 THEN 80 ELSE 0 END;
BEGIN
  IF percent <= told THEN RETURN told; END IF;
  about := jsonb_strip_nulls(about) || jsonb_build_object('percent', percent, 'used_credits', event_credits(units),
    'credits', event_credits(cap));
  PERFORM notice_record('budget.reached', about, ARRAY[account], NULL);
  IF EXISTS (SELECT FROM organisation_members m WHERE m.org_id = account AND m.user_id = member
      AND m.role <> ALL (ARRAY['owner', 'finance'])) THEN
    PERFORM notice_record('budget.reached', about - 'member_user_id' || jsonb_build_object('org_id', account), ARRAY[member], NULL);
  END IF;
  RETURN percent;
END $$;

REVOKE ALL ON FUNCTION budget_told FROM PUBLIC, market_app;
