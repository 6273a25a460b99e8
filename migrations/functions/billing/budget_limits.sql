-- The caps that a call with these API keys and tags has to keep, from one snapshot: those of the keys first (budget_id is null),
-- then the budgets of the account, with that of the member who makes the call (null for none). moment: when the call is accepted if they permit it, which is never before the beginning of
-- a window that counts. So a call of a transaction that began before midnight, and comes after one that has begun the next
-- window, belongs there.
-- Called by: budget_judge.
-- Locks: none; its caller has locked the wallet.
CREATE OR REPLACE FUNCTION budget_limits(buyer text, keys text[], tags text[], member text)
RETURNS TABLE (budget_id text, tag text, cap_units bigint, cap_window text, used_units bigint, ends_at timestamptz,
  moment timestamptz, member_user_id text)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  WITH found AS MATERIALIZED (
    SELECT b FROM budgets b WHERE b.user_id = buyer AND b.member_user_id IS NULL AND (b.tag IS NULL OR b.tag = ANY (tags))
    UNION ALL
    SELECT b FROM budgets b WHERE b.user_id = buyer AND b.member_user_id = member
  ), m AS MATERIALIZED (
    SELECT greatest(now(), (SELECT max((f.b).window_began_at) FROM found f),
      (SELECT max(k.window_began_at) FROM api_keys k WHERE k.key_id = ANY (keys))) AS moment
  )
  SELECT NULL, NULL, k.credit_cap_units, k.cap_window, api_key_window_used(k, m.moment), api_key_window_end(k, m.moment),
      m.moment, NULL
    FROM m, api_keys k WHERE k.key_id = ANY (keys) AND k.credit_cap_units IS NOT NULL
  UNION ALL
  SELECT (f.b).budget_id, (f.b).tag, (f.b).cap_units, (f.b).cap_window, budget_used(f.b, m.moment),
      budget_window_end_of(f.b, m.moment), m.moment, (f.b).member_user_id
    FROM m, found f
  ORDER BY 1 NULLS FIRST
$$;

REVOKE ALL ON FUNCTION budget_limits FROM PUBLIC, market_app;
