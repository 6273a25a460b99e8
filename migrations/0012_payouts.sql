-- Payouts (docs/payouts.md): payout methods, tax forms, exchange rates, and one payout per developer, Monday, attempt
-- and destination.
--
-- A lot goes into one payout and never out of it. What a payout could not pay (the rounding to the smallest currency
-- unit, or all of it when the rail failed) becomes a carry, which the next payout takes along like a lot:
--
--   payable = Σ lots outside payouts (net − recovered) + Σ carries outside payouts (amount − recovered)
--   payout:    lots + carried = amount + remainder
--              reserving → pending → processing → paid | failed, or rolled_over from the start; paid → returned
--   transfer:  pending → unknown → submitted; each of them → confirmed (payouts paid) | failed (payouts returned)

-- migrate:up

-- Payout methods, tax forms and exchange rates are only added to: a payout names the method and the rate that it
-- was reserved with, so that later ones count from the next run on.
CREATE TABLE payout_methods (
  method_id          text PRIMARY KEY CHECK (method_id ~ '^pmt_[0-9a-f]{32}$'),
  developer_user_id  text NOT NULL REFERENCES users,
  method             text NOT NULL CHECK (method IN ('ach', 'swift', 'upi', 'usdc')),
  sealed             bytea NOT NULL,
  masked             jsonb NOT NULL,
  returned_at        timestamptz,
  created_at         timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN payout_methods.returned_at IS 'When the bank returned a paid payout; the method is not used again';
COMMENT ON COLUMN payout_methods.sealed IS 'Envelope-encrypted details; the context is the method id';
COMMENT ON COLUMN payout_methods.masked IS 'The details as people may read them';
CREATE INDEX payout_methods_developer ON payout_methods (developer_user_id, method_id DESC);

CREATE TABLE tax_forms (
  form_id            text PRIMARY KEY CHECK (form_id ~ '^tax_[0-9a-f]{32}$'),
  developer_user_id  text NOT NULL REFERENCES users,
  kind               text NOT NULL CHECK (kind IN ('w9', 'w8ben', 'w8bene')),
  sealed             bytea NOT NULL,
  masked             jsonb NOT NULL,
  status             text NOT NULL DEFAULT 'submitted' CHECK (status IN ('submitted', 'accepted', 'rejected')),
  submitted_at       timestamptz NOT NULL DEFAULT now(),
  reviewed_at        timestamptz,
  reviewed_by        text,
  review_reason      text,
  CONSTRAINT tax_forms_review CHECK ((status = 'submitted') = (reviewed_at IS NULL)
    AND (reviewed_at IS NULL) = (reviewed_by IS NULL))
);
COMMENT ON COLUMN tax_forms.sealed IS 'Envelope-encrypted details; the context is the form id';
CREATE INDEX tax_forms_developer ON tax_forms (developer_user_id, form_id DESC);
CREATE INDEX tax_forms_waiting ON tax_forms (form_id DESC) WHERE status = 'submitted';
CREATE TRIGGER tax_forms_operator_log AFTER UPDATE ON tax_forms FOR EACH ROW
  WHEN (OLD.reviewed_by IS NULL AND NEW.reviewed_by IS NOT NULL) EXECUTE FUNCTION operator_note_tax_form();

CREATE TABLE fx_rates (
  rate_id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  base         text NOT NULL CHECK (base = 'USD'),
  quote        text NOT NULL CHECK (quote = 'INR'),
  rate         numeric(14, 6) NOT NULL CHECK (rate > 0),
  observed_at  timestamptz NOT NULL,
  source       text NOT NULL,
  loaded_by    text NOT NULL,
  loaded_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT fx_rates_once UNIQUE (base, quote, observed_at)
);
COMMENT ON COLUMN fx_rates.rate IS 'Spot: units of quote for one of base';
CREATE TRIGGER fx_rates_operator_log AFTER INSERT ON fx_rates FOR EACH ROW
  WHEN (NEW.loaded_by LIKE 'usr\_%') EXECUTE FUNCTION operator_note_rate();

-- What the source of exchange rates answered, one row per change; repetitions are counted (fx_fetch_record).
CREATE TABLE fx_fetches (
  fetch_id     text PRIMARY KEY CHECK (fetch_id ~ '^fxf_[0-9a-f]{32}$'),
  source       text NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
  outcome      text NOT NULL CHECK (outcome IN ('loaded', 'unchanged', 'stale', 'rejected', 'failed')),
  reason       text CHECK (length(reason) <= 40),
  message      text CHECK (length(message) <= 300),
  rate         numeric(14, 6),
  observed_at  timestamptz,
  first_at     timestamptz NOT NULL DEFAULT now(),
  last_at      timestamptz NOT NULL DEFAULT now(),
  times        integer NOT NULL DEFAULT 1 CHECK (times > 0),
  CONSTRAINT fx_fetches_why CHECK ((reason IS NULL) = (outcome IN ('loaded', 'unchanged')))
);
COMMENT ON COLUMN fx_fetches.rate IS 'What the source said, also when it was not loaded';
COMMENT ON COLUMN fx_fetches.times IS 'Looks in a row that ended so';

-- One row per run: attempt 0 pays all developers of a Monday; each later attempt repeats one developer's share.
CREATE TABLE payout_runs (
  as_of              timestamptz NOT NULL,
  attempt            integer NOT NULL CHECK (attempt >= 0),
  developer_user_id  text,
  workflow_id        text,
  begun_at           timestamptz NOT NULL DEFAULT now(),
  ended_at           timestamptz,
  PRIMARY KEY (as_of, attempt),
  CONSTRAINT payout_runs_share CHECK ((attempt = 0) = (developer_user_id IS NULL))
);
COMMENT ON COLUMN payout_runs.workflow_id IS 'The workflow that carries out the run; null before it has begun';
CREATE INDEX payout_runs_open ON payout_runs (begun_at) WHERE ended_at IS NULL;

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

-- A transfer pays one address for one Monday, in USDC, by an authorization (EIP-3009) that is signed once and kept.
-- `unknown` is written before anything is sent; from then on the chain is read and nothing is sent again.
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
COMMENT ON COLUMN payout_transfers.sealed IS
  'Envelope-encrypted authorization with its signature; the context is the id';
COMMENT ON COLUMN payout_transfers.from_block IS 'No earlier block can hold the use of the authorization';
CREATE INDEX payout_transfers_run ON payout_transfers (as_of, attempt, transfer_id);
CREATE TRIGGER payout_transfer_moves BEFORE UPDATE ON payout_transfers
  FOR EACH ROW EXECUTE FUNCTION payout_transfer_moves();
CREATE TRIGGER payout_transfers_never_deleted BEFORE DELETE OR TRUNCATE ON payout_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE TABLE payouts (
  payout_id          text PRIMARY KEY CHECK (payout_id ~ '^pay_[0-9a-f]{32}$'),
  developer_user_id  text NOT NULL,
  as_of              timestamptz NOT NULL,
  attempt            integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  period_start       timestamptz NOT NULL,
  status             text NOT NULL CHECK (status IN
                     ('reserving', 'pending', 'processing', 'paid', 'returned', 'failed', 'rolled_over')),
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
  pay_to             text NOT NULL DEFAULT '' CHECK (pay_to = '' OR pay_to ~ '^0x[0-9a-fA-F]{40}$'),
  transfer_id        text REFERENCES payout_transfers,
  lots               integer NOT NULL DEFAULT 0 CHECK (lots >= 0),
  lots_from          timestamptz,
  lots_until         timestamptz,
  steps              integer NOT NULL DEFAULT 0 CHECK (steps >= 0),
  CONSTRAINT payouts_once UNIQUE (developer_user_id, as_of, attempt, pay_to),
  CONSTRAINT payouts_whole CHECK (lots_units + carried_units = amount_units + remainder_units),
  CONSTRAINT payouts_reserved CHECK (status IN ('rolled_over', 'reserving', 'failed') OR
    num_nulls(method, amount_minor, currency) = 0 AND amount_minor > 0 AND (method_id IS NOT NULL OR pay_to <> '')),
  CONSTRAINT payouts_reason CHECK ((status IN ('failed', 'returned', 'rolled_over')) = (reason IS NOT NULL)),
  CONSTRAINT payouts_end CHECK ((status IN ('paid', 'failed', 'returned', 'rolled_over')) = (completed_at IS NOT NULL)),
  CONSTRAINT payouts_filed CHECK (status <> 'processing' OR num_nonnulls(file_id, reference, transfer_id) > 0)
);
COMMENT ON COLUMN payouts.pay_to IS
  'Address of agents whose price was set in USD; empty: the developer''s own method';
COMMENT ON COLUMN payouts.lots IS 'Number of lots; they mature from lots_from to lots_until';
COMMENT ON COLUMN payouts.steps IS 'Transactions in which the lots were taken';
CREATE INDEX payouts_developer ON payouts (developer_user_id, payout_id DESC);
CREATE INDEX payouts_status ON payouts (status, payout_id DESC);
CREATE INDEX payouts_run ON payouts (as_of, attempt, method, payout_id);
CREATE INDEX payouts_open ON payouts (payout_id) WHERE status IN ('reserving', 'pending', 'processing');
CREATE INDEX payouts_file ON payouts (file_id, payout_id) WHERE file_id IS NOT NULL;
CREATE INDEX payouts_transfer ON payouts (transfer_id, payout_id) WHERE transfer_id IS NOT NULL;
CREATE TRIGGER payouts_never_deleted BEFORE DELETE OR TRUNCATE ON payouts
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- Where the unpaid lots of a developer begin, for each destination: every lot at or before the cursor that belongs to
-- the destination is in a payout, used up, or late. A lot is late when a cursor may pass it although it is unpaid: it
-- is disputed, or it matures within an hour of its capture. Later lots cannot be behind a cursor, which never passes
-- the present.
CREATE TABLE payout_cursors (
  developer_user_id  text NOT NULL,
  pay_to             text NOT NULL,
  agents             text[] NOT NULL,
  matures_at         timestamptz NOT NULL DEFAULT '-infinity',
  invocation_id      text NOT NULL DEFAULT '',
  run                text,
  run_matures_at     timestamptz,
  run_invocation_id  text,
  PRIMARY KEY (developer_user_id, pay_to)
);
COMMENT ON COLUMN payout_cursors.agents IS 'The agents that pay_to is for, or that the developer''s own method is not for';
COMMENT ON COLUMN payout_cursors.run IS 'The run that is reading lots, and how far it has read them';

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

CREATE TRIGGER payout_carries_guard BEFORE UPDATE ON payout_carries FOR EACH ROW
  WHEN (NEW.into_payout_id IS DISTINCT FROM OLD.into_payout_id) EXECUTE FUNCTION payout_guard_carry();

GRANT SELECT, INSERT, UPDATE (sealed) ON payout_methods TO market_app;
GRANT SELECT, INSERT, UPDATE (sealed, status, reviewed_at, reviewed_by, review_reason) ON tax_forms TO market_app;
GRANT SELECT, INSERT ON fx_rates TO market_app;
GRANT SELECT ON fx_fetches, payouts, payout_carries, payout_runs, payout_cursors TO market_app;
GRANT SELECT, UPDATE (sealed) ON payout_files, payout_transfers TO market_app;

-- migrate:down

DROP TABLE payout_carries;
DROP TABLE payout_cursors;
DROP TABLE payouts;
DROP TABLE payout_transfers;
DROP TABLE payout_files;
DROP TABLE payout_runs;
DROP TABLE fx_fetches;
DROP TABLE fx_rates;
DROP TABLE tax_forms;
DROP TABLE payout_methods;
