-- Changes name and cap of an account's API key; a null name, or set_cap false, leaves it as it is. A cap must cover what
-- the key has spent and what its calls in flight may still cost: their settlement adds to the spending, which never
-- exceeds the cap. Returns the lowest possible cap, and whether the key was changed; no row without such a key.
-- Called by: src/stores/accounts/api-keys.ts.
-- Locks: the account's wallet, so that no call is accepted meanwhile, then the key.
CREATE OR REPLACE FUNCTION api_key_change(account text, key text, new_name text, set_cap boolean, cap_units bigint)
RETURNS TABLE (least_units bigint, changed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM accounts a WHERE a.user_id = account AND a.kind = 'wallet' FOR NO KEY UPDATE;
  -- Spending and calls in flight in one snapshot: a call is in one of them.
  SELECT k.spent_units + coalesce((SELECT sum(o.price_units) FROM open_calls o WHERE o.buyer_user_id = account
      AND (SELECT i.key_id FROM invocations i WHERE i.invocation_id = o.invocation_id) = key), 0)
    INTO least_units FROM api_keys k
    WHERE k.key_id = key AND k.user_id = account AND k.kind = 'key' AND k.deleted_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  changed := NOT set_cap OR cap_units IS NULL OR cap_units >= least_units;
  IF changed THEN
    UPDATE api_keys k SET name = coalesce(new_name, k.name),
        credit_cap_units = CASE WHEN set_cap THEN cap_units ELSE k.credit_cap_units END
      WHERE k.key_id = key;
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION api_key_change FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION api_key_change TO market_app;
