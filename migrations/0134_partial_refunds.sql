-- A dispute may return a part of a charge, and a developer may offer one (ADR 0355, ADR 0356).

-- migrate:up

ALTER TABLE invocations ADD COLUMN returned_units bigint;
ALTER TABLE archive.invocations ADD COLUMN returned_units bigint;
CREATE OR REPLACE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
COMMENT ON COLUMN invocations.returned_units IS
  'The part of the charge that a dispute returned to the buyer; null for none, and for a call whose whole charge was returned';
CREATE TRIGGER invocations_key_returned AFTER UPDATE OF returned_units ON invocations FOR EACH ROW
  WHEN (NEW.key_id IS NOT NULL AND NEW.status = OLD.status) EXECUTE FUNCTION api_key_count_spending();
CREATE TRIGGER invocations_budget_returned AFTER UPDATE OF returned_units ON invocations FOR EACH ROW
  WHEN (NEW.budget_ids IS NOT NULL AND NEW.status = OLD.status) EXECUTE FUNCTION budget_count_spending();
CREATE TRIGGER invocations_mandate_returned AFTER UPDATE OF returned_units ON invocations FOR EACH ROW
  WHEN (NEW.mandate_id IS NOT NULL AND NEW.status = OLD.status) EXECUTE FUNCTION mandate_follow_call();
CREATE TRIGGER invocations_usage_returned AFTER UPDATE OF returned_units ON invocations FOR EACH ROW
  EXECUTE FUNCTION usage_follow_return();

ALTER TABLE earnings ADD COLUMN returned_units bigint, ADD COLUMN returned_fee_units bigint,
  ADD COLUMN returned_net_units bigint;
ALTER TABLE archive.earnings ADD COLUMN returned_units bigint, ADD COLUMN returned_fee_units bigint,
  ADD COLUMN returned_net_units bigint;
CREATE OR REPLACE VIEW all_earnings AS SELECT * FROM earnings UNION ALL SELECT * FROM archive.earnings;
COMMENT ON COLUMN earnings.returned_units IS
  'The part of the gross that a dispute returned to the buyer; null for none, and for a lot that was clawed back whole';
COMMENT ON COLUMN earnings.returned_fee_units IS
  'What fees returned with that part: the share of the fee in it, and in what slashes had given the buyer before';
COMMENT ON COLUMN earnings.returned_net_units IS 'What the developer returned with that part';

CREATE TABLE dispute_offers (
  offer_id     text PRIMARY KEY CHECK (offer_id ~ '^dof_[0-9a-f]{32}$'),
  dispute_id   text NOT NULL REFERENCES disputes,
  units        bigint NOT NULL CHECK (units > 0),
  text_id      text REFERENCES dispute_texts,
  status       text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'accepted', 'declined', 'replaced', 'ended')),
  offered_at   timestamptz NOT NULL,
  answered_at  timestamptz,
  CONSTRAINT dispute_offers_answered CHECK ((status = 'open') = (answered_at IS NULL))
);
COMMENT ON TABLE dispute_offers IS 'Parts of charges that developers offer to return; the newest offer of a dispute alone may be open';
COMMENT ON COLUMN dispute_offers.status IS 'replaced: by a newer offer; ended: with its dispute';
CREATE INDEX dispute_offers_dispute ON dispute_offers (dispute_id, offer_id DESC);
CREATE UNIQUE INDEX dispute_offers_one_open ON dispute_offers (dispute_id) WHERE status = 'open';
CREATE TRIGGER dispute_offers_guard BEFORE UPDATE ON dispute_offers FOR EACH ROW EXECUTE FUNCTION dispute_offer_guard();
CREATE TRIGGER dispute_offers_event AFTER INSERT ON dispute_offers FOR EACH ROW EXECUTE FUNCTION event_of_offer();
GRANT SELECT ON dispute_offers TO market_app;

ALTER TABLE disputes DROP CONSTRAINT disputes_resolution_check;
ALTER TABLE disputes ADD CONSTRAINT disputes_resolution_check CHECK (resolution IN
  ('call_in_progress', 'developer_accepted', 'developer_silent', 'offer_accepted', 'operator'));

-- A part moves a charge and no call.
ALTER TABLE usage_deltas DROP CONSTRAINT usage_deltas_calls_check;
ALTER TABLE usage_deltas ADD CONSTRAINT usage_deltas_calls_check CHECK (calls <> 0 OR gross_units <> 0);

DROP FUNCTION IF EXISTS ledger_clawback(text[]);
DROP FUNCTION IF EXISTS ledger_post_clawback(holds, earnings);
DROP FUNCTION IF EXISTS dispute_refund_charge(text);
DROP FUNCTION IF EXISTS dispute_respond(text, text, text, timestamptz);
DROP FUNCTION IF EXISTS dispute_resolve(text, text, text, text, timestamptz);
DROP FUNCTION IF EXISTS earning_worth(text, bigint, bigint, boolean, timestamptz);

-- migrate:down

DROP FUNCTION IF EXISTS ledger_clawback(text[], bigint[]);
DROP FUNCTION IF EXISTS ledger_post_clawback(holds, earnings, bigint);
DROP FUNCTION IF EXISTS dispute_refund_charge(text, bigint);
DROP FUNCTION IF EXISTS dispute_respond(text, text, text, timestamptz, text, bigint);
DROP FUNCTION IF EXISTS dispute_resolve(text, text, text, text, timestamptz, bigint);
DROP FUNCTION IF EXISTS earning_worth(text, bigint, bigint, boolean, timestamptz, bigint);

ALTER TABLE usage_deltas DROP CONSTRAINT usage_deltas_calls_check;
ALTER TABLE usage_deltas ADD CONSTRAINT usage_deltas_calls_check CHECK (calls <> 0) NOT VALID;

ALTER TABLE disputes DISABLE TRIGGER USER;
UPDATE disputes SET resolution = 'developer_accepted' WHERE resolution = 'offer_accepted';
ALTER TABLE disputes ENABLE TRIGGER USER;
ALTER TABLE disputes DROP CONSTRAINT disputes_resolution_check;
ALTER TABLE disputes ADD CONSTRAINT disputes_resolution_check CHECK (resolution IN
  ('call_in_progress', 'developer_accepted', 'developer_silent', 'operator'));
DROP TABLE dispute_offers;

DROP VIEW all_earnings;
ALTER TABLE archive.earnings DROP COLUMN returned_units, DROP COLUMN returned_fee_units, DROP COLUMN returned_net_units;
ALTER TABLE earnings DROP COLUMN returned_units, DROP COLUMN returned_fee_units, DROP COLUMN returned_net_units;
CREATE VIEW all_earnings AS SELECT * FROM earnings UNION ALL SELECT * FROM archive.earnings;
GRANT SELECT ON all_earnings TO market_app;

DROP TRIGGER IF EXISTS invocations_key_returned ON invocations;
DROP TRIGGER IF EXISTS invocations_budget_returned ON invocations;
DROP TRIGGER IF EXISTS invocations_mandate_returned ON invocations;
DROP TRIGGER IF EXISTS invocations_usage_returned ON invocations;
DROP VIEW all_invocations;
ALTER TABLE archive.invocations DROP COLUMN returned_units;
ALTER TABLE invocations DROP COLUMN returned_units;
CREATE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
GRANT SELECT ON all_invocations TO market_app;
