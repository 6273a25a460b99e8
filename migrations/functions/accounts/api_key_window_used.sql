-- What counts against the credit cap of a key at a time, which is not before the beginning of the counted window: the charges
-- of calls that were accepted in the window, and what those of them that are in flight may still cost; calls of keys that it
-- made are its own. Both come from one
-- snapshot, because a call is in one of them.
-- Called by: budget_judge, budget_limits, src/stores/accounts/api-keys.ts, src/stores/accounts/key-limits.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION api_key_window_used(key api_keys, at timestamptz) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE WHEN key.cap_window = 'lifetime' THEN key.spent_units
      WHEN at < key.window_ends_at THEN key.window_units ELSE 0 END
    + coalesce((SELECT sum(o.price_units) FROM open_calls o WHERE o.buyer_user_id = key.user_id
      AND (SELECT i.invoked_at >= w.began AND (i.key_id = key.key_id OR 'keys:manage' = ANY (key.scopes)
          AND EXISTS (SELECT FROM api_keys c WHERE c.key_id = i.key_id AND c.parent_key_id = key.key_id)) FROM invocations i
        WHERE i.invocation_id = o.invocation_id)), 0)::bigint
  FROM (SELECT budget_window_began(key.cap_window, key.window_began_at, key.window_ends_at, at, key.user_id)) w(began)
$$;

REVOKE ALL ON FUNCTION api_key_window_used FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION api_key_window_used TO market_app;
