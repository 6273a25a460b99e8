-- Which accounts belong to one hand (ADR 0435): signs that accounts share, groups of accounts with a common sign, and
-- pairs between which money flows in a circle.

-- migrate:up

CREATE TABLE owner_signs (
  kind      text NOT NULL CHECK (kind IN ('payment_method', 'address', 'device')),
  value     text NOT NULL CHECK (value ~ '^[0-9a-f]{64}$'),
  user_id   text NOT NULL REFERENCES users,
  first_at  timestamptz NOT NULL DEFAULT now(),
  last_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, value, user_id)
);
COMMENT ON TABLE owner_signs IS 'Signs by which accounts are known to belong together; accounts with an equal one are related';
COMMENT ON COLUMN owner_signs.value IS 'SHA-256 of the sign';
CREATE INDEX owner_signs_user ON owner_signs (user_id);
GRANT SELECT ON owner_signs TO market_app;

CREATE TABLE owner_groups (
  user_id   text PRIMARY KEY REFERENCES users,
  group_id  text NOT NULL REFERENCES users
);
COMMENT ON TABLE owner_groups IS 'Accounts that signs connect, under the id of the least of them; an account without a row is alone';
CREATE INDEX owner_groups_group ON owner_groups (group_id);
GRANT SELECT ON owner_groups TO market_app;

CREATE TABLE owner_circles (
  first_user_id   text NOT NULL REFERENCES users,
  second_user_id  text NOT NULL REFERENCES users,
  smallest_units  bigint NOT NULL CHECK (smallest_units > 0),
  largest_units   bigint NOT NULL CHECK (largest_units >= smallest_units),
  through         text REFERENCES users,
  found_at        timestamptz NOT NULL DEFAULT now(),
  last_at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (first_user_id, second_user_id),
  CHECK (first_user_id < second_user_id)
);
COMMENT ON TABLE owner_circles IS 'Pairs of accounts between which money of paid calls flows in a circle, with the figures by which it was found';
COMMENT ON COLUMN owner_circles.smallest_units IS 'Of the sums along the circle in its three months';
COMMENT ON COLUMN owner_circles.through IS 'The third account of a circle of three';
GRANT SELECT ON owner_circles TO market_app;

CREATE TABLE money_flows (
  payer_user_id      text NOT NULL,
  developer_user_id  text NOT NULL,
  month              date NOT NULL,
  units              bigint NOT NULL CHECK (units >= 0),
  is_due             boolean NOT NULL DEFAULT true,
  PRIMARY KEY (payer_user_id, developer_user_id, month)
);
COMMENT ON TABLE money_flows IS 'What accounts paid for successful calls of agents of others, by UTC month; kept for six months';
COMMENT ON COLUMN money_flows.is_due IS 'True until owner_circles_find has looked for circles through it';
CREATE INDEX money_flows_due ON money_flows (payer_user_id, developer_user_id, month) WHERE is_due;
CREATE INDEX money_flows_month ON money_flows (month);
GRANT SELECT ON money_flows TO market_app;

-- The accounts of a network, and when they signed up
CREATE INDEX login_places_network ON login_places (network);

CREATE TRIGGER billing_details_owner_signs AFTER INSERT OR UPDATE ON billing_details FOR EACH ROW
  EXECUTE FUNCTION owner_signs_of_billing();
CREATE TRIGGER login_places_owner_signs AFTER INSERT ON login_places FOR EACH ROW
  EXECUTE FUNCTION owner_signs_of_login();
CREATE TRIGGER users_owner_signs AFTER INSERT ON users FOR EACH ROW WHEN (NEW.kind = 'payer')
  EXECUTE FUNCTION owner_signs_of_payer();

-- migrate:down

DROP TRIGGER IF EXISTS users_owner_signs ON users;
DROP TRIGGER IF EXISTS login_places_owner_signs ON login_places;
DROP TRIGGER IF EXISTS billing_details_owner_signs ON billing_details;
DROP INDEX login_places_network;
DROP TABLE money_flows, owner_circles, owner_groups, owner_signs;
