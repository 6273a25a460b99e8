/**
 * What the ledger does not know of a bond: the tier that it holds, a shortfall, withdrawals under notice, and what the
 * developer is told (contract, "Bonds and slashing"). The money is in the developer's `bond` and `slash_hold` accounts.
 *
 * A shortfall is opened by the slash that became final and left less than the tier's minimum. It ends when the bond
 * reaches that minimum again, however long that takes; `shortfall_ended_at` is written by the workflow of that slash
 * when the time to top up is over. Nothing compares a deadline with now().
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE transactions DROP CONSTRAINT transactions_kind_check;
  ALTER TABLE transactions ADD CONSTRAINT transactions_kind_check CHECK (kind IN
    ('topup', 'registration_fee', 'invocation_hold', 'invocation_charge', 'invocation_refund', 'dispute_refund',
     'bond_deposit', 'bond_release', 'slash', 'slash_return', 'slash_refund'));

  CREATE TABLE bonds (
    developer_user_id        text PRIMARY KEY REFERENCES users,
    tier                     text CHECK (tier IN ('basic', 'standard', 'premium')),
    shortfall_slash_id       text,
    shortfall_minimum_units  bigint,
    shortfall_since          timestamptz,
    shortfall_deadline       timestamptz,
    shortfall_ended_at       timestamptz,
    updated_at               timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT bonds_shortfall CHECK (
      num_nulls(shortfall_slash_id, shortfall_minimum_units, shortfall_since, shortfall_deadline) IN (0, 4)
      AND (shortfall_ended_at IS NULL OR shortfall_slash_id IS NOT NULL))
  );
  COMMENT ON COLUMN bonds.tier IS 'The highest minimum reached at the last deposit or withdrawal; slashes leave it';
  COMMENT ON COLUMN bonds.shortfall_ended_at IS 'When the time to top up was over: the agents are out of search';

  CREATE TABLE bond_withdrawals (
    withdrawal_id        text PRIMARY KEY CHECK (withdrawal_id ~ '^bwd_[0-9a-f]{32}$'),
    developer_user_id    text NOT NULL REFERENCES users,
    requested_units      bigint NOT NULL CHECK (requested_units > 0),
    status               text NOT NULL DEFAULT 'noticed' CHECK (status IN ('noticed', 'waiting', 'paid', 'void')),
    paid_units           bigint CHECK (paid_units BETWEEN 0 AND requested_units),
    requested_at         timestamptz NOT NULL,
    due_at               timestamptz NOT NULL,
    completed_at         timestamptz,
    trace_id             text NOT NULL,
    workflow_started_at  timestamptz,
    CONSTRAINT bond_withdrawals_end CHECK ((status IN ('paid', 'void')) = (completed_at IS NOT NULL)
      AND (status = 'paid') = (coalesce(paid_units, 0) > 0) AND (paid_units IS NULL) = (completed_at IS NULL))
  );
  COMMENT ON COLUMN bond_withdrawals.status IS
    'noticed: under notice; waiting: the notice is over, a slash is not decided; void: the bond held nothing any more';
  CREATE INDEX bond_withdrawals_developer ON bond_withdrawals (developer_user_id, withdrawal_id DESC);
  CREATE INDEX bond_withdrawals_noticed ON bond_withdrawals (withdrawal_id) WHERE status = 'noticed';

  CREATE TABLE developer_notices (
    notice_id          text PRIMARY KEY,
    developer_user_id  text NOT NULL REFERENCES users,
    kind               text NOT NULL CHECK (kind IN ('slash_applied', 'slash_final', 'slash_overturned',
      'bond_shortfall', 'bond_delisted', 'bond_restored', 'bond_released')),
    slash_id           text,
    agent_id           text,
    data               jsonb NOT NULL,
    at                 timestamptz NOT NULL
  );
  CREATE INDEX developer_notices_developer ON developer_notices (developer_user_id, notice_id DESC);

  -- Mirrors BOND_TIERS of src/domain/bonds/bond.ts (specification, "Bond tiers").
  CREATE FUNCTION bond_tier_minimum(tier text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE tier WHEN 'basic' THEN 50000 WHEN 'standard' THEN 250000 WHEN 'premium' THEN 1000000 END::bigint
  $$;
  CREATE FUNCTION bond_tier_of(units bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT t.tier FROM unnest(ARRAY['premium', 'standard', 'basic']) WITH ORDINALITY t(tier, n)
      WHERE units >= bond_tier_minimum(t.tier) ORDER BY t.n LIMIT 1
  $$;

  CREATE FUNCTION bond_balance(developer text, account_kind text) RETURNS bigint
  LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT a.balance_units FROM accounts a WHERE a.user_id = developer AND a.kind = account_kind
  $$;

  -- What others ask of a bond (0821): the tier caps the badge, a shortfall is a reason, and hides when its time is over.
  CREATE OR REPLACE FUNCTION bond_standing(developer text,
    OUT tier text, OUT shortfall_since timestamptz, OUT shortfall_deadline timestamptz, OUT hides boolean)
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    SELECT b.tier, b.shortfall_since, b.shortfall_deadline, b.shortfall_ended_at IS NOT NULL
      INTO tier, shortfall_since, shortfall_deadline, hides FROM bonds b WHERE b.developer_user_id = developer;
    hides := coalesce(hides, false);
  END $$;

  -- Locks a developer's bond, before accounts and agents; whatever changes it comes through here.
  CREATE FUNCTION bond_lock(developer text) RETURNS bonds
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE bond bonds%ROWTYPE;
  BEGIN
    INSERT INTO bonds (developer_user_id) VALUES (developer) ON CONFLICT DO NOTHING;
    SELECT b.* INTO STRICT bond FROM bonds b WHERE b.developer_user_id = developer FOR NO KEY UPDATE;
    RETURN bond;
  END $$;

  CREATE FUNCTION bond_notify(developer text, kind text, slash text, agent text, data jsonb, at timestamptz) RETURNS void
  LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    INSERT INTO developer_notices (notice_id, developer_user_id, kind, slash_id, agent_id, data, at)
    VALUES (ledger_new_id('ntc'), developer, kind, slash, agent, data, at)
  $$;

  -- After the bond of a developer grew: ends a shortfall that it covers, and the agents are found again.
  CREATE FUNCTION bond_cover_shortfall(developer text, as_of timestamptz) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE ended bonds%ROWTYPE;
  BEGIN
    SELECT b.* INTO ended FROM bonds b WHERE b.developer_user_id = developer
      AND b.shortfall_minimum_units <= bond_balance(developer, 'bond');
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE bonds b SET shortfall_slash_id = NULL, shortfall_minimum_units = NULL, shortfall_since = NULL,
      shortfall_deadline = NULL, shortfall_ended_at = NULL WHERE b.developer_user_id = developer;
    PERFORM bond_notify(developer, 'bond_restored', ended.shortfall_slash_id, NULL,
      jsonb_build_object('bond_credits', event_credits(bond_balance(developer, 'bond'))), as_of);
  END $$;

  REVOKE ALL ON FUNCTION bond_lock, bond_notify, bond_cover_shortfall, bond_balance FROM PUBLIC;
  GRANT SELECT ON bonds, developer_notices TO market_app;
  GRANT SELECT, UPDATE (workflow_started_at) ON bond_withdrawals TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  CREATE OR REPLACE FUNCTION bond_standing(developer text,
    OUT tier text, OUT shortfall_since timestamptz, OUT shortfall_deadline timestamptz, OUT hides boolean)
  LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT NULL::text, NULL::timestamptz, NULL::timestamptz, false
  $$;
  DROP FUNCTION bond_cover_shortfall, bond_notify, bond_lock, bond_balance, bond_tier_of, bond_tier_minimum;
  DROP TABLE developer_notices, bond_withdrawals, bonds;
  ALTER TABLE transactions DROP CONSTRAINT transactions_kind_check;
  ALTER TABLE transactions ADD CONSTRAINT transactions_kind_check CHECK (kind IN
    ('topup', 'registration_fee', 'invocation_hold', 'invocation_charge', 'invocation_refund', 'dispute_refund'));
`);
