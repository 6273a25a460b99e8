-- Changes an account's API key: name, credit_cap_units, cap_window, call_cap_units, least_trust and only_agents of `change`;
-- members that it does not have stay as they are. A cap over the lifetime must cover what the key has spent and what its calls
-- in flight may still cost: their settlement adds to the spending, which never exceeds the cap. A cap of a window may be lower
-- than what was spent in it, and then refuses until the window ends. Returns the lowest possible cap over the lifetime, and
-- whether the key was changed; no row without such a key.
-- Called by: src/stores/accounts/api-keys.ts.
-- Locks: the account's wallet, so that no call is accepted meanwhile, then the key.
CREATE OR REPLACE FUNCTION api_key_change(account text, key text, change jsonb)
RETURNS TABLE (least_units bigint, changed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  new_cap    bigint;
  new_window text;
BEGIN
  PERFORM FROM accounts a WHERE a.user_id = account AND a.kind = 'wallet' FOR NO KEY UPDATE;
  -- Spending and calls in flight in one snapshot: a call is in one of them.
  SELECT k.spent_units + coalesce((SELECT sum(o.price_units) FROM open_calls o WHERE o.buyer_user_id = account
      AND (SELECT i.key_id = key OR EXISTS (SELECT FROM api_keys c WHERE c.key_id = i.key_id AND c.parent_key_id = key)
        FROM invocations i WHERE i.invocation_id = o.invocation_id)), 0),
      CASE WHEN change ? 'credit_cap_units' THEN (change ->> 'credit_cap_units')::bigint ELSE k.credit_cap_units END,
      coalesce(change ->> 'cap_window', k.cap_window)
    INTO least_units, new_cap, new_window FROM api_keys k
    WHERE k.key_id = key AND k.user_id = account AND k.kind = 'key' AND k.deleted_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  changed := new_window <> 'lifetime' OR new_cap IS NULL OR new_cap >= least_units;
  IF changed THEN
    UPDATE api_keys k SET name = coalesce(change ->> 'name', k.name), credit_cap_units = new_cap, cap_window = new_window,
        told_percent = CASE WHEN new_cap IS DISTINCT FROM k.credit_cap_units THEN 0 ELSE k.told_percent END,
        call_cap_units = CASE WHEN change ? 'call_cap_units' THEN (change ->> 'call_cap_units')::bigint
          ELSE k.call_cap_units END,
        least_trust = CASE WHEN change ? 'least_trust' THEN (change ->> 'least_trust')::smallint ELSE k.least_trust END,
        only_agents = CASE WHEN change ? 'only_agents' THEN
          (SELECT array_agg(a) FROM jsonb_array_elements_text(nullif(change -> 'only_agents', 'null')) a)
          ELSE k.only_agents END
      WHERE k.key_id = key;
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION api_key_change FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION api_key_change TO market_app;
