-- Pairs of a buyer on calls, by which calls are found and spending is summed (ADR 0293).

-- migrate:up

ALTER TABLE invocations ADD COLUMN metadata jsonb;
ALTER TABLE archive.invocations ADD COLUMN metadata jsonb;
CREATE OR REPLACE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
COMMENT ON COLUMN invocations.metadata IS 'Pairs of text that the buyer gave the call; null for none. The agent does not get them';

CREATE TABLE call_tags (
  buyer_user_id  text NOT NULL,
  tag            text NOT NULL,
  invocation_id  text NOT NULL,
  PRIMARY KEY (buyer_user_id, tag, invocation_id)
);
COMMENT ON TABLE call_tags IS 'Calls by the pairs of their metadata';
COMMENT ON COLUMN call_tags.tag IS 'Name, = and value; names contain no =';
GRANT SELECT ON call_tags TO market_app;

CREATE TABLE spend_tag_days (
  buyer_user_id  text NOT NULL,
  day            date NOT NULL,
  tag            text NOT NULL,
  agent_id       text NOT NULL,
  key_id         text NOT NULL,
  calls          bigint NOT NULL,
  charged_units  bigint NOT NULL,
  PRIMARY KEY (buyer_user_id, day, tag, agent_id, key_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE spend_tag_days IS 'spend_days for each pair of the metadata of calls: a call with two pairs is in two sums';
GRANT SELECT ON spend_tag_days TO market_app;

-- migrate:down

DROP TABLE spend_tag_days, call_tags;
DROP VIEW all_invocations;
ALTER TABLE archive.invocations DROP COLUMN metadata;
ALTER TABLE invocations DROP COLUMN metadata;
CREATE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
GRANT SELECT ON all_invocations TO market_app;
