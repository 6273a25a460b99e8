-- Rules of an organisation for all calls that it pays: a floor of trust and a list of agents and developers (ADR 0401).

-- migrate:up

CREATE TABLE organisation_rules (
  org_id       text PRIMARY KEY REFERENCES organisations,
  least_trust  smallint CHECK (least_trust BETWEEN 0 AND 100),
  only_listed  boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE organisation_rules IS 'Which agents the calls of an organisation may reach, whichever key or member makes them';
COMMENT ON COLUMN organisation_rules.least_trust IS 'Only agents with at least this trust score may be called';
COMMENT ON COLUMN organisation_rules.only_listed IS 'Only agents of organisation_allowed may be called';
GRANT SELECT ON organisation_rules TO market_app;

CREATE TABLE organisation_allowed (
  org_id      text NOT NULL REFERENCES organisations,
  allowed_id  text NOT NULL CHECK (length(allowed_id) <= 100 AND allowed_id ~ '^(agt|usr|org)_'),
  PRIMARY KEY (org_id, allowed_id)
);
COMMENT ON TABLE organisation_allowed IS 'The agents, and the developers by the ids of their accounts: at most 1,000 of an organisation';
GRANT SELECT ON organisation_allowed TO market_app;

-- migrate:down

DROP FUNCTION IF EXISTS organisation_rules_change(text, jsonb);
DROP TABLE organisation_allowed;
DROP TABLE organisation_rules;
