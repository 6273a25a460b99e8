/**
 * Search finds every word of names and descriptions, also stop words of English, parts of words, and words of languages
 * without spaces (ADR 0206). The English column stays: it finds other forms of a word.
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE agent_versions
    ADD COLUMN search_words tsvector GENERATED ALWAYS AS (
      setweight(to_tsvector('simple', display_name), 'A') ||
      setweight(to_tsvector('simple', words(tags)), 'B') ||
      setweight(to_tsvector('simple', description), 'C')
    ) STORED,
    ADD COLUMN search_text text GENERATED ALWAYS AS (search_text(display_name, slug, tags, description)) STORED,
    ADD COLUMN search_grams text[] GENERATED ALWAYS AS (
      text_grams(search_text(display_name, slug, tags, description))
    ) STORED;
  COMMENT ON COLUMN agent_versions.search_grams IS
    'The characters and pairs of characters of search_text, by which the index finds the texts that may contain a term';
  CREATE INDEX agent_versions_search_words ON agent_versions USING gin (search_words);
  CREATE INDEX agent_versions_search_grams ON agent_versions USING gin (search_grams);
`);

exports.down = (knex) =>
  knex.raw(`
  ALTER TABLE agent_versions DROP COLUMN IF EXISTS search_words, DROP COLUMN IF EXISTS search_text, DROP COLUMN IF EXISTS search_grams;
`);
