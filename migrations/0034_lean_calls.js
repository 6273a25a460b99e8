/**
 * Fewer writes for each call (ADR 0161). The holds of calls name the transactions of their calls, so that these need no
 * row of transaction_references. A capture waits for its roll-ups as one row: the net, the fee, and the day on which the lot
 * matures. Rows that wait have no key of their own. An entry of a locked account is compared with its account when it is written,
 * in place of an index over versions. Triggers keep the owners of accounts in place of a foreign key. Open holds are found by buyer and by agent; few are open, so their leases need no
 * index.
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE holds ADD COLUMN hold_transaction_id text, ADD COLUMN end_transaction_id text;
  ALTER TABLE archive.holds ADD COLUMN hold_transaction_id text, ADD COLUMN end_transaction_id text;
  COMMENT ON COLUMN holds.hold_transaction_id IS
    'The transaction invocation/<id>/hold; null for a hold of 0, and for holds that transaction_references names';
  COMMENT ON COLUMN holds.end_transaction_id IS
    'The transaction invocation/<id>/capture or /void; null as hold_transaction_id is, and while the hold is open';
  CREATE OR REPLACE VIEW all_holds AS SELECT * FROM holds UNION ALL SELECT * FROM archive.holds;
  DROP INDEX holds_open_lease;

  ALTER TABLE accounts DROP CONSTRAINT accounts_user_id_fkey;
  CREATE TRIGGER users_keep_accounts BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION ledger_guard_owner();

  DROP TRIGGER transactions_reference ON transactions;
  CREATE TRIGGER transactions_reference AFTER INSERT ON transactions FOR EACH ROW
    WHEN (NEW.reference NOT LIKE 'invocation/%' OR NEW.reference LIKE '%/clawback')
    EXECUTE FUNCTION ledger_note_reference();
  COMMENT ON TABLE transaction_references IS
    'The business reference of each transaction, unique over all months; those of the steps of a call are in its hold';

  ALTER TABLE pending_rollups DROP COLUMN rollup_id, ADD COLUMN fee_units bigint NOT NULL DEFAULT 0,
    ADD COLUMN matures_on date;
  COMMENT ON COLUMN pending_rollups.fee_units IS 'What the same capture gives to the account of fees (4)';
  COMMENT ON COLUMN pending_rollups.matures_on IS
    'Of a capture: the UTC day on which its lot matures; the lot is counted by this row until it is in earning_deltas';
  CREATE OR REPLACE VIEW account_balances AS
    SELECT a.account_id, a.user_id, a.kind, a.version, a.updated_at,
           a.balance_units + CASE WHEN a.hot THEN
             (SELECT coalesce(sum(p.amount_units), 0)::bigint FROM pending_rollups p WHERE p.account_id = a.account_id)
           ELSE 0 END + CASE a.account_id WHEN 4 THEN
             (SELECT coalesce(sum(p.fee_units), 0)::bigint FROM pending_rollups p)
           ELSE 0 END AS balance_units
    FROM accounts a;
  ALTER TABLE usage_deltas DROP COLUMN delta_id;
  ALTER TABLE earning_deltas DROP COLUMN delta_id;
  DROP TRIGGER earnings_days_new ON earnings;
  CREATE VIEW earning_changes AS
    SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_deltas
    UNION ALL
    SELECT a.user_id, p.matures_on, 1, p.amount_units, 0, p.amount_units
      FROM accounts a CROSS JOIN LATERAL (SELECT * FROM pending_rollups r
        WHERE r.account_id = a.account_id AND r.matures_on IS NOT NULL OFFSET 0) p WHERE a.kind = 'payable';
  COMMENT ON VIEW earning_changes IS 'What the days and totals of earnings lack yet: changes of lots, and new lots';
  CREATE OR REPLACE VIEW earning_day_lots AS
    SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_days
    UNION ALL
    SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_changes;
  CREATE OR REPLACE VIEW earning_sums AS
    SELECT developer_user_id, open_units, disputed_units, earned_units FROM earning_totals
    UNION ALL
    SELECT developer_user_id, open_units, disputed_units, earned_units FROM earning_changes;
  GRANT SELECT ON earning_changes TO market_app;

  DO $$ DECLARE child text; BEGIN
    FOR child IN SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'months' AND c.relkind = 'i' AND c.relname LIKE 'entries\\_%\\_chain'
    LOOP
      EXECUTE format('DROP INDEX months.%I', child);
    END LOOP;
    FOR child IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'invocations'::regclass
    LOOP
      EXECUTE format('ALTER TABLE months.%I SET (fillfactor = 75)', child);
    END LOOP;
  END $$;
`);

exports.down = (knex) =>
  knex.raw(`
  DO $$ DECLARE child text; BEGIN
    FOR child IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'entries'::regclass
    LOOP
      EXECUTE format('CREATE UNIQUE INDEX %I ON months.%I (account_id, account_version) '
        'WHERE account_version IS NOT NULL', child || '_chain', child);
    END LOOP;
  END $$;

  INSERT INTO earning_deltas (developer_user_id, matures_on, lots, open_units, disputed_units, earned_units)
    SELECT a.user_id, p.matures_on, 1, p.amount_units, 0, p.amount_units
    FROM pending_rollups p JOIN accounts a USING (account_id) WHERE p.matures_on IS NOT NULL;
  CREATE OR REPLACE VIEW earning_day_lots AS
    SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_days
    UNION ALL
    SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_deltas;
  CREATE OR REPLACE VIEW earning_sums AS
    SELECT developer_user_id, open_units, disputed_units, earned_units FROM earning_totals
    UNION ALL
    SELECT developer_user_id, open_units, disputed_units, earned_units FROM earning_deltas;
  DROP VIEW earning_changes;
  ALTER TABLE earning_deltas ADD COLUMN delta_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY;
  ALTER TABLE usage_deltas ADD COLUMN delta_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY;
  INSERT INTO pending_rollups (account_id, amount_units)
    SELECT 4, sum(p.fee_units) FROM pending_rollups p HAVING sum(p.fee_units) <> 0;
  CREATE OR REPLACE VIEW account_balances AS
    SELECT a.account_id, a.user_id, a.kind, a.version, a.updated_at,
           a.balance_units + CASE WHEN a.hot THEN
             (SELECT coalesce(sum(p.amount_units), 0)::bigint FROM pending_rollups p WHERE p.account_id = a.account_id)
           ELSE 0 END AS balance_units
    FROM accounts a;
  ALTER TABLE pending_rollups DROP COLUMN fee_units, DROP COLUMN matures_on,
    ADD COLUMN rollup_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY;

  INSERT INTO transaction_references (reference, transaction_id)
    SELECT t.reference, t.transaction_id FROM all_transactions t
    WHERE t.reference LIKE 'invocation/%' AND t.reference NOT LIKE '%/clawback' ON CONFLICT DO NOTHING;
  DROP TRIGGER IF EXISTS transactions_reference ON transactions;
  DROP TRIGGER IF EXISTS users_keep_accounts ON users;
  -- Taking everything down drops all functions first, and their triggers with them.
  DO $$ BEGIN
    IF to_regprocedure('ledger_note_reference()') IS NOT NULL THEN
      CREATE TRIGGER transactions_reference AFTER INSERT ON transactions
        FOR EACH ROW EXECUTE FUNCTION ledger_note_reference();
      CREATE TRIGGER earnings_days_new AFTER INSERT ON earnings REFERENCING NEW TABLE AS new_lots
        FOR EACH STATEMENT EXECUTE FUNCTION earning_days_follow_new();
    END IF;
  END $$;
  ALTER TABLE accounts ADD CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users;
  CREATE INDEX holds_open_lease ON holds (lease_until) WHERE state = 'open';
  DROP VIEW all_holds;
  ALTER TABLE archive.holds DROP COLUMN hold_transaction_id, DROP COLUMN end_transaction_id;
  ALTER TABLE holds DROP COLUMN hold_transaction_id, DROP COLUMN end_transaction_id;
  CREATE VIEW all_holds AS SELECT * FROM holds UNION ALL SELECT * FROM archive.holds;
  GRANT SELECT ON all_holds TO market_app;
`);
