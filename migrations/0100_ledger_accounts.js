/**
 * The accounts of the ledger (docs/ledger.md). Five per user, opened by a trigger when the user row appears, with
 * neighbouring ids; five of the service, with fixed ids. No entry and no hold has a foreign key to them: such a key
 * locks the referenced row for every insert, and `fees` or a popular developer's `payable` would become a queue.
 * `npm run ledger:check` proves what the keys would have.
 *
 * `hot` accounts take credits without a row lock: balance = balance_units + what waits in pending_rollups.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE accounts (
    account_id     bigint PRIMARY KEY,
    user_id        text REFERENCES users,
    kind           text NOT NULL,
    balance_units  bigint NOT NULL DEFAULT 0,
    version        bigint NOT NULL DEFAULT 0,
    hot            boolean NOT NULL GENERATED ALWAYS AS
      (kind IN ('payable', 'cash', 'topup_clearing', 'payout_clearing', 'fees', 'platform')) STORED,
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT accounts_one_per_kind UNIQUE NULLS NOT DISTINCT (user_id, kind),
    CONSTRAINT accounts_not_negative CHECK (balance_units >= 0 OR kind IN ('cash', 'platform'))
  ) WITH (fillfactor = 50);
  COMMENT ON COLUMN accounts.balance_units IS '1/100 credit; of a hot account without what waits in pending_rollups';
  COMMENT ON COLUMN accounts.version IS 'Number of entries, for accounts that are not hot';

  CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the ledger is written once: % on % is refused', TG_OP, TG_TABLE_NAME USING ERRCODE = '23514';
  END $$;

  -- What never changes on an account is checked here and not by constraints: Postgres prepares every constraint anew
  -- for every statement, which would cost each call more than its money movement.
  CREATE FUNCTION ledger_guard_account() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      IF NEW.balance_units <> 0 OR NEW.version <> 0 OR NOT coalesce(CASE WHEN NEW.user_id IS NULL
         THEN NEW.kind IN ('cash', 'topup_clearing', 'payout_clearing', 'fees', 'platform')
         ELSE NEW.kind IN ('wallet', 'escrow', 'payable', 'bond', 'slash_hold') END, false) THEN
        RAISE EXCEPTION 'not a new account: % of %', NEW.kind, NEW.user_id USING ERRCODE = '23514';
      END IF;
    ELSIF NEW.account_id <> OLD.account_id OR NEW.kind <> OLD.kind OR NEW.user_id IS DISTINCT FROM OLD.user_id
       OR NEW.version <= OLD.version THEN
      RAISE EXCEPTION 'account % may only move its balance forward', OLD.account_id USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER accounts_guard BEFORE INSERT OR UPDATE ON accounts
    FOR EACH ROW EXECUTE FUNCTION ledger_guard_account();
  CREATE TRIGGER accounts_never_deleted BEFORE DELETE OR TRUNCATE ON accounts
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  INSERT INTO accounts (account_id, kind) VALUES
    (1, 'cash'), (2, 'topup_clearing'), (3, 'payout_clearing'), (4, 'fees'), (5, 'platform');
  CREATE SEQUENCE account_blocks START 10;

  CREATE FUNCTION ledger_open_accounts(owner_user_id text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH block AS MATERIALIZED (SELECT nextval('account_blocks') * 10 AS base)
    INSERT INTO accounts (account_id, user_id, kind)
    SELECT block.base + k.n, owner_user_id, k.kind
    FROM block, unnest(ARRAY['wallet', 'escrow', 'payable', 'bond', 'slash_hold']) WITH ORDINALITY AS k(kind, n)
    WHERE NOT EXISTS (SELECT FROM accounts a WHERE a.user_id = owner_user_id)
    ON CONFLICT (user_id, kind) DO NOTHING
  $$;

  CREATE FUNCTION ledger_open_accounts_of_new_user() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM ledger_open_accounts(NEW.user_id);
    RETURN NULL;
  END $$;
  CREATE TRIGGER open_accounts AFTER INSERT ON users
    FOR EACH ROW EXECUTE FUNCTION ledger_open_accounts_of_new_user();
  DO $$ BEGIN PERFORM ledger_open_accounts(u.user_id) FROM users u ORDER BY u.user_id; END $$;

  CREATE FUNCTION ledger_new_id(prefix text) RETURNS text
  LANGUAGE sql VOLATILE PARALLEL SAFE RETURN prefix || '_' || replace(uuidv7()::text, '-', '');

  REVOKE ALL ON FUNCTION ledger_open_accounts, ledger_open_accounts_of_new_user, ledger_new_id FROM PUBLIC;
  GRANT SELECT ON accounts TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER open_accounts ON users;
  DROP TABLE accounts;
  DROP SEQUENCE account_blocks;
  DROP FUNCTION ledger_open_accounts_of_new_user, ledger_open_accounts, ledger_new_id, ledger_refuse_change,
    ledger_guard_account;
`);
