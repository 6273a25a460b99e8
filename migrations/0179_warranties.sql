-- Warranties of agents: what a month must keep, how it was kept, and who is paid from the bond if it was not (ADR 0426).

-- migrate:up

ALTER TABLE agent_versions ADD COLUMN warranty jsonb;
COMMENT ON COLUMN agent_versions.warranty IS 'The warranty of the manifest; null without one';
CREATE INDEX agent_versions_warranty ON agent_versions (agent_id) WHERE warranty IS NOT NULL;

ALTER TABLE slashes DROP CONSTRAINT slashes_refund_check,
  ADD CONSTRAINT slashes_refund_check CHECK (refund IN ('affected', 'none', 'warranty')),
  DROP CONSTRAINT slashes_returned,
  ADD CONSTRAINT slashes_returned CHECK (returned_units >= 0 AND returned_units <= amount_units AND (returned_units = 0
    OR status = 'final' AND refund IN ('affected', 'warranty')));
COMMENT ON COLUMN slashes.refund IS 'Who gets the amount: the buyers of the calls (affected), the platform (none), or the buyers of a month (warranty)';

CREATE TABLE slash_buyers (
  slash_id       text NOT NULL REFERENCES slashes,
  buyer_user_id  text NOT NULL,
  weight_units   bigint NOT NULL CHECK (weight_units > 0),
  refund_units   bigint CHECK (refund_units >= 0),
  PRIMARY KEY (slash_id, buyer_user_id)
);
COMMENT ON TABLE slash_buyers IS 'The buyers of the month of a broken warranty';
COMMENT ON COLUMN slash_buyers.weight_units IS 'What the calls of the month had cost the buyer when the warranty was decided';
CREATE INDEX slash_buyers_buyer ON slash_buyers (buyer_user_id);
GRANT SELECT ON slash_buyers TO market_app;

CREATE TABLE warranty_months (
  agent_id    text NOT NULL REFERENCES agents,
  month       date NOT NULL CHECK (extract(day FROM month) = 1),
  outcome     text NOT NULL CHECK (outcome IN ('kept', 'broken', 'few_calls')),
  terms       jsonb NOT NULL,
  figures     jsonb NOT NULL,
  slash_id    text UNIQUE REFERENCES slashes,
  decided_at  timestamptz NOT NULL,
  PRIMARY KEY (agent_id, month),
  CONSTRAINT warranty_months_paid CHECK (slash_id IS NULL OR outcome = 'broken')
);
COMMENT ON TABLE warranty_months IS 'Whether an agent kept its warranty in a UTC month';
COMMENT ON COLUMN warranty_months.slash_id IS 'Null for a broken month if the bond was empty, or nothing was charged';
GRANT SELECT ON warranty_months TO market_app;

-- migrate:down

DROP FUNCTION IF EXISTS warranty_decide(text, date, text, bigint, bigint, text, timestamptz);
DROP FUNCTION IF EXISTS slash_remedy(slashes);
DROP TABLE warranty_months;
DROP TABLE slash_buyers;
ALTER TABLE slashes DROP CONSTRAINT slashes_refund_check,
  ADD CONSTRAINT slashes_refund_check CHECK (refund IN ('affected', 'none')) NOT VALID,
  DROP CONSTRAINT slashes_returned,
  ADD CONSTRAINT slashes_returned CHECK (returned_units >= 0 AND returned_units <= amount_units AND (returned_units = 0
    OR status = 'final' AND refund = 'affected')) NOT VALID;
COMMENT ON COLUMN slashes.refund IS 'Who gets the amount: the buyers of the calls (affected), or the platform (none)';
DROP INDEX agent_versions_warranty;
ALTER TABLE agent_versions DROP COLUMN warranty;
