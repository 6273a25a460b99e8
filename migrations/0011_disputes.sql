-- Disputes: at most one per call. A dispute of a call in progress is decided when it opens (`won`: the buyer has
-- everything back at once); a dispute of a success is a case that its workflow `dispute/<id>` leads to an end. The
-- windows of a case are written here when it opens, and end only when the workflow says so: nothing compares them
-- with now().
--
-- Texts of people are stored in rows, never in the workflow: its history holds ids and codes only.

-- migrate:up

CREATE TABLE disputes (
  dispute_id           text PRIMARY KEY CHECK (dispute_id ~ '^dsp_[0-9a-f]{32}$'),
  invocation_id        text NOT NULL CONSTRAINT disputes_one_per_call UNIQUE,
  buyer_user_id        text NOT NULL,
  developer_user_id    text NOT NULL,
  agent_id             text NOT NULL,
  reason               text NOT NULL CHECK (reason IN
    ('output_incorrect', 'no_response', 'schema_violation', 'unauthorized', 'other')),
  description          text NOT NULL,
  status               text NOT NULL CHECK (status IN ('open', 'accepted', 'contested', 'won', 'lost')),
  resolution           text CHECK (resolution IN
    ('call_in_progress', 'developer_accepted', 'developer_silent', 'operator')),
  refunded_units       bigint NOT NULL DEFAULT 0 CHECK (refunded_units >= 0),
  opened_at            timestamptz NOT NULL,
  respond_by           timestamptz,
  responded_at         timestamptz,
  statement_id         text,
  resolved_at          timestamptz,
  resolved_by          text,
  decision_id          text,
  trace_id             text NOT NULL,
  workflow_started_at  timestamptz,
  CONSTRAINT disputes_resolved CHECK (
    (status IN ('accepted', 'won', 'lost')) = (resolved_at IS NOT NULL)
    AND (resolved_at IS NULL) = (resolution IS NULL)),
  CONSTRAINT disputes_by_operator CHECK (
    (resolution IS NOT DISTINCT FROM 'operator') = (resolved_by IS NOT NULL)),
  CONSTRAINT disputes_window CHECK ((resolution IS NOT DISTINCT FROM 'call_in_progress') = (respond_by IS NULL)),
  CONSTRAINT disputes_refund CHECK (refunded_units = 0 OR status IN ('accepted', 'won'))
);
COMMENT ON COLUMN disputes.refunded_units IS '1/100 credit that the buyer got back; 0 for a free call';
COMMENT ON COLUMN disputes.workflow_started_at IS
  'When a start of the workflow was last sent or confirmed; null: the sweep starts it';
CREATE INDEX disputes_buyer ON disputes (buyer_user_id, dispute_id DESC);
CREATE INDEX disputes_developer ON disputes (developer_user_id, dispute_id DESC);
CREATE INDEX disputes_undecided ON disputes (dispute_id) WHERE status IN ('open', 'contested');
-- Open cases in the order of their last confirmation, for the sweep that starts workflows the engine has lost.
CREATE INDEX disputes_unconfirmed ON disputes ((coalesce(workflow_started_at, '-infinity')))
  WHERE status IN ('open', 'contested');
CREATE TRIGGER disputes_guard BEFORE UPDATE ON disputes FOR EACH ROW EXECUTE FUNCTION dispute_guard();
CREATE TRIGGER disputes_event_opened AFTER INSERT ON disputes FOR EACH ROW EXECUTE FUNCTION event_of_dispute();
CREATE TRIGGER disputes_event_resolved AFTER UPDATE OF status ON disputes FOR EACH ROW
  WHEN (NEW.resolved_at IS NOT NULL AND OLD.resolved_at IS NULL) EXECUTE FUNCTION event_of_dispute();
CREATE TRIGGER disputes_operator_log AFTER UPDATE ON disputes FOR EACH ROW
  WHEN (OLD.resolved_by IS NULL AND NEW.resolved_by IS NOT NULL) EXECUTE FUNCTION operator_note_dispute();

-- A developer's statement, an operator's reason. Written before the workflow is asked; the case then names the text
-- that counted.
CREATE TABLE dispute_texts (
  text_id         text PRIMARY KEY CHECK (text_id ~ '^dst_[0-9a-f]{32}$'),
  dispute_id      text NOT NULL REFERENCES disputes,
  author_user_id  text NOT NULL,
  body            text NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX dispute_texts_dispute ON dispute_texts (dispute_id);
ALTER TABLE disputes
  ADD CONSTRAINT disputes_statement FOREIGN KEY (statement_id) REFERENCES dispute_texts,
  ADD CONSTRAINT disputes_decision FOREIGN KEY (decision_id) REFERENCES dispute_texts;

-- What the buyer attached: the input and the output of the call. Deleted 90 days after the decision.
CREATE TABLE dispute_attachments (
  attachment_id  text PRIMARY KEY CHECK (attachment_id ~ '^dsa_[0-9a-f]{32}$'),
  dispute_id     text NOT NULL REFERENCES disputes,
  part           text NOT NULL CHECK (part IN ('input', 'output')),
  sealed         bytea NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (dispute_id, part)
);

GRANT SELECT, UPDATE (workflow_started_at) ON disputes TO market_app;
GRANT SELECT, INSERT ON dispute_texts TO market_app;
GRANT SELECT, INSERT, UPDATE (sealed) ON dispute_attachments TO market_app;

-- migrate:down

ALTER TABLE disputes DROP CONSTRAINT disputes_statement, DROP CONSTRAINT disputes_decision;
DROP TABLE dispute_attachments;
DROP TABLE dispute_texts;
DROP TABLE disputes;
