-- Returns the balance of one of the developer's accounts (bond, slash_hold).
-- Called by: bond_cover_shortfall, bond_deposit, bond_pay_waiting, bond_withdraw, slash_apply, slash_event,
-- slash_shortfall, warranty_decide.
-- Locks: none.
CREATE OR REPLACE FUNCTION bond_balance(developer text, account_kind text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT a.balance_units FROM accounts a WHERE a.user_id = developer AND a.kind = account_kind
$$;

REVOKE ALL ON FUNCTION bond_balance FROM PUBLIC, market_app;
