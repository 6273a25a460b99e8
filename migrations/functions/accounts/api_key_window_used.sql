-- What counts against the credit cap of a key at a time: its charges in the window, and what its calls in flight may
-- still cost, whenever they began. Both come from one snapshot, because a call is in one of them. A window that is later
-- than the time belongs to a transaction that began after this one, and counts all the same.
-- Called by: invocation_decide, src/stores/accounts/api-keys.ts, src/stores/oauth/oauth-grants.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION api_key_window_used(key api_keys, at timestamptz) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE WHEN key.cap_window = 'lifetime' THEN key.spent_units
      WHEN key.window_began_at >= api_key_window_start(key.cap_window, at) THEN key.window_units ELSE 0 END
    + coalesce((SELECT sum(o.price_units) FROM open_calls o WHERE o.buyer_user_id = key.user_id
      AND (SELECT i.key_id FROM invocations i WHERE i.invocation_id = o.invocation_id) = key.key_id), 0)::bigint
$$;

REVOKE ALL ON FUNCTION api_key_window_used FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION api_key_window_used TO market_app;
