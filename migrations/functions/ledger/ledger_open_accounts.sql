-- Opens the five accounts of a user (wallet, escrow, payable, bond, slash_hold) with neighbouring ids. Does nothing
-- when the user has accounts.
-- Called by: ledger_open_accounts_of_new_user.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_open_accounts(owner_user_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  WITH block AS MATERIALIZED (SELECT nextval('account_blocks') * 10 AS base)
  INSERT INTO accounts (account_id, user_id, kind)
  SELECT block.base + k.n, owner_user_id, k.kind
  FROM block, unnest(ARRAY['wallet', 'escrow', 'payable', 'bond', 'slash_hold']) WITH ORDINALITY AS k(kind, n)
  WHERE NOT EXISTS (SELECT FROM accounts a WHERE a.user_id = owner_user_id)
  ON CONFLICT (user_id, kind) DO NOTHING
$$;

REVOKE ALL ON FUNCTION ledger_open_accounts FROM PUBLIC, market_app;
