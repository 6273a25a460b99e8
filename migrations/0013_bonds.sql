-- Bonds, withdrawals from them and slashes (contract, "Bonds and slashing"). The money is in the developer's `bond`
-- and `slash_hold` accounts; these tables have what the ledger does not know.
--
-- A shortfall is opened by a slash that became final and left less than the tier's minimum. It ends when the bond
-- reaches that minimum again, however long that takes. The amount of a slash leaves the bond when its row is made;
-- the workflow `slash/<id>` leads it to its end. Deadlines are written here and end only when a workflow says so:
-- nothing compares them with now(). Texts of people are stored in rows, never in the workflow: its history holds ids
-- and codes only.
--
-- Lock order of all moves: the slash, the bond, accounts in id order, agents.

-- migrate:up

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
CREATE INDEX bonds_short ON bonds (shortfall_slash_id) WHERE shortfall_slash_id IS NOT NULL AND shortfall_ended_at IS NULL;
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
CREATE INDEX bond_withdrawals_unconfirmed ON bond_withdrawals ((coalesce(workflow_started_at, '-infinity')))
  WHERE status = 'noticed';

CREATE TABLE developer_notices (
  notice_id          text PRIMARY KEY,
  developer_user_id  text NOT NULL REFERENCES users,
  kind               text NOT NULL CHECK (kind IN ('slash_applied', 'slash_final', 'slash_overturned',
    'bond_shortfall', 'bond_delisted', 'bond_restored', 'bond_released', 'finding_waived', 'contest_refused',
    'waiver_ended', 'rubric_announced')),
  slash_id           text,
  agent_id           text,
  data               jsonb NOT NULL,
  at                 timestamptz NOT NULL
);
CREATE INDEX developer_notices_developer ON developer_notices (developer_user_id, notice_id DESC);

-- A slash takes what it can refund (ADR 0190): at most the rest of its calls' charges, unless it has no refunds; the
-- platform keeps such a penalty. What left the bond is amount_units − returned_units.
CREATE TABLE slashes (
  slash_id             text PRIMARY KEY CHECK (slash_id ~ '^slh_[0-9a-f]{32}$'),
  developer_user_id    text NOT NULL REFERENCES users,
  agent_id             text NOT NULL,
  status               text NOT NULL DEFAULT 'applied'
                       CHECK (status IN ('applied', 'contested', 'final', 'overturned')),
  resolution           text CHECK (resolution IN ('developer_silent', 'operator')),
  requested_units      bigint NOT NULL CHECK (requested_units > 0),
  amount_units         bigint NOT NULL CHECK (amount_units > 0),
  refund               text NOT NULL DEFAULT 'affected' CHECK (refund IN ('affected', 'none')),
  returned_units       bigint NOT NULL DEFAULT 0,
  explanation          text NOT NULL,
  evidence             jsonb NOT NULL,
  applied_by           text NOT NULL,
  applied_at           timestamptz NOT NULL,
  counter_by           timestamptz NOT NULL,
  top_up_ms            bigint NOT NULL CHECK (top_up_ms > 0),
  countered_at         timestamptz,
  counter_id           text,
  resolved_at          timestamptz,
  resolved_by          text,
  decision_id          text,
  top_up_by            timestamptz,
  trace_id             text NOT NULL,
  workflow_started_at  timestamptz,
  CONSTRAINT slashes_amount CHECK (amount_units <= requested_units),
  CONSTRAINT slashes_resolved CHECK ((status IN ('final', 'overturned')) = (resolved_at IS NOT NULL)
    AND (resolved_at IS NULL) = (resolution IS NULL)
    AND (resolution IS NOT DISTINCT FROM 'operator') = (resolved_by IS NOT NULL)),
  CONSTRAINT slashes_countered CHECK ((countered_at IS NULL) = (counter_id IS NULL)),
  CONSTRAINT slashes_top_up CHECK (top_up_by IS NULL OR status = 'final'),
  CONSTRAINT slashes_returned CHECK (returned_units BETWEEN 0 AND amount_units
    AND (returned_units = 0 OR (status = 'final' AND refund = 'affected')))
);
COMMENT ON COLUMN slashes.amount_units IS 'What left the bond when the slash was applied';
COMMENT ON COLUMN slashes.refund IS 'Who gets the amount: the buyers of the calls (affected), or the platform (none)';
COMMENT ON COLUMN slashes.returned_units IS
  'Of a final slash: what came back to the bond, because the calls had been refunded otherwise by then';
COMMENT ON COLUMN slashes.top_up_by IS 'Until when the bond must be topped up, when this slash left a shortfall';
CREATE INDEX slashes_developer ON slashes (developer_user_id, slash_id DESC);
CREATE INDEX slashes_undecided ON slashes (slash_id) WHERE status IN ('applied', 'contested');
CREATE INDEX slashes_unconfirmed ON slashes ((coalesce(workflow_started_at, '-infinity')))
  WHERE status IN ('applied', 'contested');
CREATE TRIGGER slashes_guard BEFORE UPDATE ON slashes FOR EACH ROW EXECUTE FUNCTION slash_guard();
CREATE TRIGGER slashes_applied AFTER INSERT ON slashes FOR EACH ROW EXECUTE FUNCTION slash_action();
CREATE TRIGGER slashes_decided AFTER UPDATE OF status ON slashes FOR EACH ROW
  WHEN (NEW.resolved_by IS NOT NULL AND OLD.resolved_by IS NULL) EXECUTE FUNCTION slash_action();

CREATE TABLE slash_calls (
  slash_id       text NOT NULL REFERENCES slashes,
  invocation_id  text NOT NULL,
  buyer_user_id  text NOT NULL,
  weight_units   bigint NOT NULL CHECK (weight_units >= 0),
  refund_units   bigint CHECK (refund_units >= 0),
  PRIMARY KEY (slash_id, invocation_id)
);
COMMENT ON COLUMN slash_calls.weight_units IS 'The charge that was not refunded yet, when the slash was applied';
CREATE INDEX slash_calls_invocation ON slash_calls (invocation_id) WHERE refund_units > 0;

-- A developer's counter-argument, an operator's reason. Written before the workflow is asked; the slash then names
-- the text that counted.
CREATE TABLE slash_texts (
  text_id         text PRIMARY KEY CHECK (text_id ~ '^slt_[0-9a-f]{32}$'),
  slash_id        text NOT NULL REFERENCES slashes,
  author_user_id  text NOT NULL,
  body            text NOT NULL,
  evidence        jsonb,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX slash_texts_slash ON slash_texts (slash_id);
ALTER TABLE slashes
  ADD CONSTRAINT slashes_counter FOREIGN KEY (counter_id) REFERENCES slash_texts,
  ADD CONSTRAINT slashes_decision FOREIGN KEY (decision_id) REFERENCES slash_texts;

-- Idempotency keys of operators. A key is written in the transaction of its slash (slash_order).
CREATE TABLE slash_keys (
  operator_user_id  text NOT NULL,
  idempotency_key   text NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255),
  request_sha256    text NOT NULL CHECK (request_sha256 ~ '^[0-9a-f]{64}$'),
  slash_id          text NOT NULL UNIQUE REFERENCES slashes DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (operator_user_id, idempotency_key)
);

GRANT SELECT ON bonds, developer_notices, slash_calls TO market_app;
GRANT SELECT, UPDATE (workflow_started_at) ON bond_withdrawals, slashes TO market_app;
GRANT SELECT, INSERT ON slash_texts TO market_app;

-- migrate:down

ALTER TABLE slashes DROP CONSTRAINT slashes_counter, DROP CONSTRAINT slashes_decision;
DROP TABLE slash_keys;
DROP TABLE slash_texts;
DROP TABLE slash_calls;
DROP TABLE slashes;
DROP TABLE developer_notices;
DROP TABLE bond_withdrawals;
DROP TABLE bonds;
