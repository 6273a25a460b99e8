-- The terms of the tools that the MCP server of a version lists, as search_terms_of has those of its texts: g for names and
-- titles, s for descriptions and properties. No terms for a version without tools, and in a database before their table.
-- Called by: agent_search_write, version_tools_follow.
-- Locks: none.
CREATE OR REPLACE FUNCTION tool_terms_of(version text) RETURNS tsvector LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  in_names   text[];
  in_texts   text[];
  languages  regdictionary[];
BEGIN
  IF to_regclass('version_tools') IS NULL THEN RETURN ''; END IF;
  SELECT plain_words(t.names), plain_words(t.texts) INTO in_names, in_texts FROM version_tools t WHERE t.version_id = version;
  IF NOT FOUND THEN RETURN ''; END IF;
  languages := ARRAY['english_stem', text_language(in_names || in_texts)];
  RETURN array_to_tsvector(ARRAY(
    SELECT DISTINCT f.letter || left(term, 64)
      FROM (VALUES ('g:', in_names), ('s:', in_texts)) f (letter, words)
      CROSS JOIN LATERAL search_stems(f.words, languages) term
     WHERE term <> ''));
END $$;
