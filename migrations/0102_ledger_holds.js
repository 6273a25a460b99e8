/**
 * Holds, the lots of earnings that captures make, and what developers owe after clawbacks that found too little.
 *
 *   hold:  open → captured | voided | disputed, once; only an open hold moves its lease and forward marks.
 *   lot:   a developer's net of one captured call; payable = Σ over lots outside payouts of (net − recovered).
 *
 * Ids of invocations, agents and versions are plain text: those tables come later, and a foreign key to a buyer's or
 * developer's row would make every call of a popular agent touch that one row.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE holds (
    invocation_id      text PRIMARY KEY CHECK (invocation_id ~ '^inv_[0-9a-f]{32}$'),
    buyer_user_id      text NOT NULL,
    developer_user_id  text NOT NULL,
    agent_id           text NOT NULL,
    version_id         text NOT NULL,
    amount_units       bigint NOT NULL,
    state              text NOT NULL DEFAULT 'open',
    captured_units     bigint,
    forwarded_at       timestamptz,
    forward_count      integer NOT NULL DEFAULT 0,
    lease_until        timestamptz NOT NULL,
    trace_id           text,
    created_at         timestamptz NOT NULL DEFAULT now(),
    resolved_at        timestamptz,
    CONSTRAINT holds_state CHECK (state IN ('open', 'captured', 'voided', 'disputed')),
    CONSTRAINT holds_whole_credits CHECK (amount_units >= 0 AND amount_units % 100 = 0),
    CONSTRAINT holds_one_resolution CHECK ((state = 'open') = (resolved_at IS NULL)),
    CONSTRAINT holds_capture CHECK (
      (state = 'captured') = (captured_units IS NOT NULL)
      AND captured_units BETWEEN 0 AND amount_units AND captured_units % 100 = 0)
  ) WITH (fillfactor = 70);
  CREATE INDEX holds_open_lease ON holds (lease_until) WHERE state = 'open';
  CREATE INDEX holds_open_buyer ON holds (buyer_user_id) WHERE state = 'open';

  CREATE FUNCTION ledger_guard_hold() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.state <> 'open' THEN
      RAISE EXCEPTION 'hold % was resolved as %', OLD.invocation_id, OLD.state USING ERRCODE = '23514';
    END IF;
    IF (NEW.invocation_id, NEW.buyer_user_id, NEW.developer_user_id, NEW.agent_id, NEW.version_id,
        NEW.amount_units, NEW.created_at)
       IS DISTINCT FROM (OLD.invocation_id, OLD.buyer_user_id, OLD.developer_user_id, OLD.agent_id, OLD.version_id,
        OLD.amount_units, OLD.created_at) OR NEW.forward_count < OLD.forward_count THEN
      RAISE EXCEPTION 'the terms of hold % are fixed', OLD.invocation_id USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER holds_guard BEFORE UPDATE ON holds FOR EACH ROW EXECUTE FUNCTION ledger_guard_hold();
  CREATE TRIGGER holds_never_deleted BEFORE DELETE OR TRUNCATE ON holds
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  CREATE TABLE earnings (
    invocation_id      text PRIMARY KEY,
    developer_user_id  text NOT NULL,
    agent_id           text NOT NULL,
    gross_units        bigint NOT NULL,
    fee_units          bigint NOT NULL,
    net_units          bigint NOT NULL,
    recovered_units    bigint NOT NULL DEFAULT 0,
    matures_at         timestamptz NOT NULL,
    dispute_open       boolean NOT NULL DEFAULT false,
    clawed_back_at     timestamptz,
    payout_id          text,
    created_at         timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT earnings_split CHECK (gross_units > 0 AND gross_units = net_units + fee_units
      AND fee_units * 100 = gross_units * 3),
    CONSTRAINT earnings_recovered CHECK (recovered_units BETWEEN 0 AND net_units)
  ) WITH (fillfactor = 85);
  COMMENT ON COLUMN earnings.recovered_units IS 'What clawbacks took of this lot, its own first, then the oldest others';
  CREATE INDEX earnings_developer ON earnings (developer_user_id, matures_at, invocation_id)
    INCLUDE (net_units, recovered_units, payout_id, clawed_back_at, dispute_open);

  CREATE FUNCTION ledger_guard_lot() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.invocation_id, NEW.developer_user_id, NEW.agent_id, NEW.gross_units, NEW.fee_units, NEW.net_units,
        NEW.matures_at, NEW.created_at)
       IS DISTINCT FROM (OLD.invocation_id, OLD.developer_user_id, OLD.agent_id, OLD.gross_units, OLD.fee_units,
        OLD.net_units, OLD.matures_at, OLD.created_at)
       OR NEW.recovered_units < OLD.recovered_units
       OR (OLD.clawed_back_at IS NOT NULL AND NEW.clawed_back_at IS DISTINCT FROM OLD.clawed_back_at) THEN
      RAISE EXCEPTION 'the terms of lot % are fixed', OLD.invocation_id USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER earnings_guard BEFORE UPDATE ON earnings FOR EACH ROW EXECUTE FUNCTION ledger_guard_lot();
  CREATE TRIGGER earnings_never_deleted BEFORE DELETE OR TRUNCATE ON earnings
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  CREATE TABLE clawback_debts (
    invocation_id      text PRIMARY KEY REFERENCES earnings,
    developer_user_id  text NOT NULL,
    owed_units         bigint NOT NULL CHECK (owed_units > 0),
    repaid_units       bigint NOT NULL DEFAULT 0 CHECK (repaid_units BETWEEN 0 AND owed_units),
    created_at         timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX clawback_debts_developer ON clawback_debts (developer_user_id);

  GRANT SELECT ON holds, earnings, clawback_debts TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TABLE clawback_debts; DROP TABLE earnings; DROP TABLE holds;
  DROP FUNCTION ledger_guard_hold, ledger_guard_lot;
`);
