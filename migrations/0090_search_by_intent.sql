-- Search by intent (ADR 0338): the terms of each serving version, and in how many agents each term stands. The constraint
-- and the trigger come behind the fill, because they lock the agents until the end of the migration.

-- migrate:up

CREATE TABLE agent_search (
  agent_id    text PRIMARY KEY,
  place       integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  version_id  text NOT NULL,
  listed      boolean NOT NULL,
  residency   text,
  jobs        boolean NOT NULL,
  terms       tsvector NOT NULL
) WITH (fillfactor = 90);
COMMENT ON TABLE agent_search IS 'Of the serving version of each agent: what search by intent compares, and filters without a column there';
COMMENT ON COLUMN agent_search.terms IS 'Stems and pairs of characters, each behind the letter of its field (search_terms_of)';
ALTER TABLE agent_search ALTER COLUMN terms SET STORAGE EXTERNAL;

CREATE TABLE search_term_counts (
  term        text PRIMARY KEY,
  agents      integer NOT NULL CHECK (agents >= 0),
  counted_at  timestamptz NOT NULL
);
COMMENT ON TABLE search_term_counts IS 'How many listed agents have a term, at least three; the empty term: how many there are';

SELECT agent_search_write(NULL);
CREATE INDEX agent_search_terms ON agent_search USING gin (terms) WITH (fastupdate = off);
CREATE UNIQUE INDEX agent_search_place ON agent_search (place);
CREATE INDEX agent_search_version ON agent_search (version_id);

CREATE TRIGGER agent_search_follow AFTER INSERT OR UPDATE OF serving_version_id, listed, status ON agents
  FOR EACH ROW EXECUTE FUNCTION agent_search_follow();
SELECT agent_search_write(NULL);
UPDATE agent_search s SET listed = a.listed AND a.status = 'active' FROM agents a
 WHERE a.agent_id = s.agent_id AND s.listed <> (a.listed AND a.status = 'active');
ALTER TABLE agent_search ADD FOREIGN KEY (agent_id) REFERENCES agents, ADD FOREIGN KEY (version_id) REFERENCES agent_versions;
SELECT search_terms_count();

GRANT SELECT ON agent_search, search_term_counts TO market_app;

-- migrate:down

DROP TRIGGER IF EXISTS agent_search_follow ON agents;
DROP TABLE agent_search;
DROP TABLE search_term_counts;
