-- The words of all agents (ADR 0248): a search looks among them for words that are written nearly alike or contain a part,
-- and finds the agents by their terms.

-- migrate:up

CREATE TABLE search_vocabulary (
  word   text NOT NULL,
  field  text NOT NULL CHECK (field IN ('n', 'g', 'd')),
  PRIMARY KEY (word, field)
);
COMMENT ON TABLE search_vocabulary IS 'Words of names, tags and descriptions of agents and their stems, with the letter of each field (search_terms_of)';

CREATE TRIGGER search_vocabulary_follow AFTER INSERT OR UPDATE OF terms ON agent_search
  FOR EACH ROW EXECUTE FUNCTION search_vocabulary_follow();
INSERT INTO search_vocabulary (word, field)
  SELECT word, field FROM agent_search s CROSS JOIN LATERAL vocabulary_of(s.terms) GROUP BY word, field ON CONFLICT DO NOTHING;
CREATE INDEX search_vocabulary_near ON search_vocabulary USING gin (near_words(word));
CREATE INDEX search_vocabulary_grams ON search_vocabulary USING gin (word_grams(word));

GRANT SELECT ON search_vocabulary TO market_app;

-- migrate:down

DROP TRIGGER IF EXISTS search_vocabulary_follow ON agent_search;
DROP TABLE search_vocabulary;
