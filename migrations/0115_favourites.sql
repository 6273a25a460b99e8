-- Agents that an account has marked, to find them again (ADR 0255).

-- migrate:up

CREATE TABLE favourites (
  user_id   text NOT NULL REFERENCES users (user_id),
  agent_id  text NOT NULL REFERENCES agents (agent_id),
  added_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, agent_id)
);
COMMENT ON TABLE favourites IS 'At most 100 of an account';
GRANT SELECT, INSERT, DELETE ON favourites TO market_app;

-- migrate:down

DROP TABLE favourites;
