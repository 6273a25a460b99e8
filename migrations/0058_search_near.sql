-- Search finds misspelt words, and agents by the name and the id of their developer (ADR 0285).

-- migrate:up

CREATE INDEX agent_versions_near ON agent_versions USING gin (near_words(search_text));
CREATE INDEX users_developers ON users USING gin (text_grams(developer_text(display_name, developer_id)))
  WHERE developer_id IS NOT NULL;
CREATE INDEX users_developers_near ON users USING gin (near_words(developer_text(display_name, developer_id)))
  WHERE developer_id IS NOT NULL;

-- migrate:down

-- The functions of these indexes, which are dropped first, take the indexes with them.
DROP INDEX IF EXISTS agent_versions_near, users_developers, users_developers_near;
