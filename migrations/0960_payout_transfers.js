/**
 * Transfers (docs/payouts.md): what the treasury pays to one address for one Monday, in USDC, by an authorization
 * (EIP-3009) that is signed once and kept. It names payouts as a file for a bank does, and ends once:
 *
 *   pending → unknown → submitted;  each of them → confirmed (its payouts are paid) | failed (they are given back)
 *
 * `unknown` is written before anything is sent; from then on the chain is asked and nothing is sent again. `pay_to` of
 * a payout is the address of agents whose price was set in USD; empty, the payout goes to the developer's own method.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE payout_transfers (
    transfer_id   text PRIMARY KEY CHECK (transfer_id ~ '^usdc-[0-9]{8}-[0-9]+-[0-9a-f]{32}$'),
    as_of         timestamptz NOT NULL,
    attempt       integer NOT NULL,
    state         text NOT NULL DEFAULT 'pending'
                  CHECK (state IN ('pending', 'unknown', 'submitted', 'confirmed', 'failed')),
    reason        text,
    network       text NOT NULL CHECK (network ~ '^eip155:[0-9]+$'),
    asset         text NOT NULL,
    treasury      text NOT NULL,
    nonce         text NOT NULL CHECK (nonce ~ '^0x[0-9a-f]{64}$'),
    payouts       integer NOT NULL CHECK (payouts > 0),
    total_minor   bigint NOT NULL CHECK (total_minor > 0),
    valid_before  timestamptz NOT NULL,
    from_block    bigint NOT NULL CHECK (from_block >= 0),
    sealed        bytea NOT NULL,
    tx_hash       text CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'),
    sent_at       timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    ended_at      timestamptz,
    CONSTRAINT payout_transfers_nonce UNIQUE (network, asset, treasury, nonce),
    CONSTRAINT payout_transfers_end CHECK ((state IN ('confirmed', 'failed')) = (ended_at IS NOT NULL)),
    CONSTRAINT payout_transfers_confirmed CHECK (state <> 'confirmed' OR tx_hash IS NOT NULL),
    CONSTRAINT payout_transfers_failed CHECK (state <> 'failed' OR reason IS NOT NULL)
  );
  COMMENT ON COLUMN payout_transfers.sealed IS 'Envelope-encrypted authorization with its signature; the context is the id';
  COMMENT ON COLUMN payout_transfers.from_block IS 'No earlier block can hold the use of the authorization';
  CREATE INDEX payout_transfers_run ON payout_transfers (as_of, attempt, transfer_id);

  -- Mirrors TRANSFER_TRANSITIONS of src/domain/payouts/transfer.ts.
  CREATE FUNCTION payout_transfer_moves() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    mutable constant text[] := ARRAY['state', 'reason', 'tx_hash', 'sent_at', 'ended_at', 'sealed'];
  BEGIN
    IF (to_jsonb(NEW) - mutable) IS DISTINCT FROM (to_jsonb(OLD) - mutable) THEN
      RAISE EXCEPTION 'the terms of transfer % are fixed', OLD.transfer_id USING ERRCODE = '23514';
    END IF;
    IF NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) <> ALL (ARRAY[
        'pending>unknown', 'pending>confirmed', 'pending>failed', 'unknown>submitted', 'unknown>confirmed',
        'unknown>failed', 'submitted>confirmed', 'submitted>failed']) THEN
      RAISE EXCEPTION 'a transfer cannot go from % to %', OLD.state, NEW.state USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER payout_transfer_moves BEFORE UPDATE ON payout_transfers
    FOR EACH ROW EXECUTE FUNCTION payout_transfer_moves();
  CREATE TRIGGER payout_transfers_never_deleted BEFORE DELETE OR TRUNCATE ON payout_transfers
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  ALTER TABLE payouts ADD COLUMN pay_to text NOT NULL DEFAULT '' CHECK (pay_to = '' OR pay_to ~ '^0x[0-9a-fA-F]{40}$');
  ALTER TABLE payouts ADD COLUMN transfer_id text REFERENCES payout_transfers;
  ALTER TABLE payouts DROP CONSTRAINT payouts_once;
  ALTER TABLE payouts ADD CONSTRAINT payouts_once UNIQUE (developer_user_id, as_of, attempt, pay_to);
  ALTER TABLE payouts DROP CONSTRAINT payouts_reserved;
  ALTER TABLE payouts ADD CONSTRAINT payouts_reserved CHECK (status = 'rolled_over' OR
    num_nulls(method, amount_minor, currency) = 0 AND amount_minor > 0 AND (method_id IS NOT NULL OR pay_to <> ''));
  ALTER TABLE payouts DROP CONSTRAINT payouts_filed;
  ALTER TABLE payouts ADD CONSTRAINT payouts_filed CHECK
    (status <> 'processing' OR num_nonnulls(file_id, reference, transfer_id) > 0);
  CREATE INDEX payouts_transfer ON payouts (transfer_id, payout_id) WHERE transfer_id IS NOT NULL;

  GRANT SELECT, UPDATE (sealed) ON payout_transfers TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  ALTER TABLE payouts DROP CONSTRAINT payouts_filed, DROP CONSTRAINT payouts_reserved, DROP CONSTRAINT payouts_once;
  ALTER TABLE payouts DROP COLUMN transfer_id, DROP COLUMN pay_to;
  ALTER TABLE payouts ADD CONSTRAINT payouts_once UNIQUE (developer_user_id, as_of, attempt);
  ALTER TABLE payouts ADD CONSTRAINT payouts_reserved CHECK (status = 'rolled_over' OR
    num_nulls(method, method_id, amount_minor, currency) = 0 AND amount_minor > 0);
  ALTER TABLE payouts ADD CONSTRAINT payouts_filed
    CHECK (status <> 'processing' OR file_id IS NOT NULL OR reference IS NOT NULL);
  DROP TABLE payout_transfers;
  DROP FUNCTION payout_transfer_moves;
`);
