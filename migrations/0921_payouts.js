/**
 * Payouts (docs/payouts.md): one row per developer, Monday and attempt. A lot goes into one payout and never out of it:
 * what a payout could not pay, the rounding to the rail's smallest unit or all of it when the rail failed, becomes a
 * *carry*, which the next payout takes along like a lot. So
 *
 *   payable = Σ lots outside payouts (net − recovered) + Σ carries outside payouts (amount − recovered)
 *   payout:  lots + carried = amount + remainder;  pending → processing → paid | failed, or born rolled_over.
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE transactions DROP CONSTRAINT transactions_kind_check;
  ALTER TABLE transactions ADD CONSTRAINT transactions_kind_check CHECK (kind IN
    ('topup', 'registration_fee', 'invocation_hold', 'invocation_charge', 'invocation_refund', 'dispute_refund',
     'bond_deposit', 'bond_release', 'slash', 'slash_return', 'slash_refund', 'payout'));

  CREATE TABLE payout_files (
    file_id       text PRIMARY KEY,
    method        text NOT NULL,
    as_of         timestamptz NOT NULL,
    attempt       integer NOT NULL,
    name          text NOT NULL,
    payouts       integer NOT NULL CHECK (payouts > 0),
    total_minor   bigint NOT NULL CHECK (total_minor > 0),
    currency      text NOT NULL,
    sha256        text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    sealed        bytea NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    UNIQUE (method, as_of, attempt)
  );
  COMMENT ON COLUMN payout_files.sealed IS 'Envelope-encrypted bytes for the bank; the context is the file id';

  CREATE TABLE payouts (
    payout_id          text PRIMARY KEY CHECK (payout_id ~ '^pay_[0-9a-f]{32}$'),
    developer_user_id  text NOT NULL,
    as_of              timestamptz NOT NULL,
    attempt            integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    period_start       timestamptz NOT NULL,
    status             text NOT NULL CHECK (status IN ('pending', 'processing', 'paid', 'failed', 'rolled_over')),
    reason             text,
    method             text,
    method_id          text REFERENCES payout_methods,
    lots_units         bigint NOT NULL CHECK (lots_units >= 0),
    carried_units      bigint NOT NULL CHECK (carried_units >= 0),
    amount_units       bigint NOT NULL CHECK (amount_units > 0),
    remainder_units    bigint NOT NULL CHECK (remainder_units >= 0),
    amount_minor       bigint,
    currency           text,
    spot_rate          numeric(14, 6),
    rate               numeric(18, 9),
    rate_at            timestamptz,
    file_id            text REFERENCES payout_files,
    reference          text,
    trace_id           text,
    initiated_at       timestamptz NOT NULL DEFAULT now(),
    completed_at       timestamptz,
    CONSTRAINT payouts_once UNIQUE (developer_user_id, as_of, attempt),
    CONSTRAINT payouts_whole CHECK (lots_units + carried_units = amount_units + remainder_units),
    CONSTRAINT payouts_reserved CHECK (status = 'rolled_over' OR
      num_nulls(method, method_id, amount_minor, currency) = 0 AND amount_minor > 0),
    CONSTRAINT payouts_reason CHECK ((status IN ('failed', 'rolled_over')) = (reason IS NOT NULL)),
    CONSTRAINT payouts_end CHECK ((status IN ('paid', 'failed', 'rolled_over')) = (completed_at IS NOT NULL)),
    CONSTRAINT payouts_filed CHECK (status <> 'processing' OR file_id IS NOT NULL OR reference IS NOT NULL)
  );
  CREATE INDEX payouts_developer ON payouts (developer_user_id, payout_id DESC);
  CREATE INDEX payouts_run ON payouts (as_of, attempt, method, payout_id);
  CREATE INDEX payouts_open ON payouts (payout_id) WHERE status IN ('pending', 'processing');
  CREATE INDEX payouts_file ON payouts (file_id, payout_id) WHERE file_id IS NOT NULL;

  CREATE TABLE payout_carries (
    payout_id          text NOT NULL REFERENCES payouts,
    kind               text NOT NULL CHECK (kind IN ('remainder', 'returned')),
    developer_user_id  text NOT NULL,
    amount_units       bigint NOT NULL CHECK (amount_units > 0),
    recovered_units    bigint NOT NULL DEFAULT 0,
    into_payout_id     text REFERENCES payouts,
    created_at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (payout_id, kind),
    CONSTRAINT payout_carries_recovered CHECK (recovered_units BETWEEN 0 AND amount_units)
  );
  COMMENT ON TABLE payout_carries IS 'What payout_id gave back to the developer and into_payout_id took along';
  CREATE INDEX payout_carries_open ON payout_carries (developer_user_id) WHERE into_payout_id IS NULL;
  CREATE INDEX payout_carries_into ON payout_carries (into_payout_id) WHERE into_payout_id IS NOT NULL;

  CREATE INDEX earnings_unpaid ON earnings (developer_user_id, matures_at, invocation_id) WHERE payout_id IS NULL;
  CREATE INDEX earnings_payout ON earnings (payout_id, invocation_id) WHERE payout_id IS NOT NULL;

  CREATE FUNCTION payout_guard_lot() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'lot % is in payout %', OLD.invocation_id, OLD.payout_id USING ERRCODE = '23514';
  END $$;
  CREATE TRIGGER earnings_one_payout BEFORE UPDATE ON earnings FOR EACH ROW
    WHEN (OLD.payout_id IS NOT NULL
      AND (NEW.payout_id IS DISTINCT FROM OLD.payout_id OR NEW.recovered_units <> OLD.recovered_units))
    EXECUTE FUNCTION payout_guard_lot();
  CREATE TRIGGER payouts_never_deleted BEFORE DELETE OR TRUNCATE ON payouts
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  GRANT SELECT ON payouts, payout_carries TO market_app;
  GRANT SELECT, UPDATE (sealed) ON payout_files TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER earnings_one_payout ON earnings;
  DROP FUNCTION payout_guard_lot;
  DROP INDEX earnings_unpaid, earnings_payout;
  DROP TABLE payout_carries; DROP TABLE payouts; DROP TABLE payout_files;
  ALTER TABLE transactions DROP CONSTRAINT transactions_kind_check;
  ALTER TABLE transactions ADD CONSTRAINT transactions_kind_check CHECK (kind IN
    ('topup', 'registration_fee', 'invocation_hold', 'invocation_charge', 'invocation_refund', 'dispute_refund',
     'bond_deposit', 'bond_release', 'slash', 'slash_return', 'slash_refund'));
`);
