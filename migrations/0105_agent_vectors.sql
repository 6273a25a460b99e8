-- Search by meaning, where the operator has an embedding endpoint (ADR 0269): the vector of the texts of each agent.

-- migrate:up

CREATE TABLE agent_vectors (
  agent_id  text PRIMARY KEY REFERENCES agents,
  model     text,
  vector    bytea CHECK (length(vector) <= 4096),
  due_at    timestamptz,
  CHECK ((model IS NULL) = (vector IS NULL))
);
COMMENT ON TABLE agent_vectors IS 'Vectors of the texts of agents, for the order of searches by meaning; unused without EMBEDDINGS_URL';
COMMENT ON COLUMN agent_vectors.vector IS 'One signed byte for each number';
COMMENT ON COLUMN agent_vectors.due_at IS 'When the texts are embedded next; null: the vector is that of the texts';
INSERT INTO agent_vectors (agent_id, due_at) SELECT agent_id, now() FROM agent_search;
CREATE INDEX agent_vectors_due ON agent_vectors (due_at) WHERE due_at IS NOT NULL;
CREATE TRIGGER agent_vectors_follow AFTER INSERT OR UPDATE OF version_id, terms ON agent_search
  FOR EACH ROW EXECUTE FUNCTION agent_vectors_follow();

GRANT SELECT, UPDATE (model, vector, due_at) ON agent_vectors TO market_app;

-- migrate:down

DROP TRIGGER IF EXISTS agent_vectors_follow ON agent_search;
DROP TABLE IF EXISTS agent_vectors;
