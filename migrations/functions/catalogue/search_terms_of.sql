-- The terms of a version for the search by intent, each behind the letter of its field: n for name and slug, g for tags and
-- tools, d for the description, s for properties of schemas, p for parts of long words. Terms of English and of the language
-- of the texts.
-- Called by: agent_search_write, version_tools_follow.
-- Locks: none.
CREATE OR REPLACE FUNCTION search_terms_of(
  display_name text, slug text, description text, tags text[], manifest text
) RETURNS tsvector LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  extra       record;
  in_name     constant text[] := plain_words(display_name || ' ' || slug);
  in_text     constant text[] := plain_words(description);
  in_tags     text[];
  language    regdictionary;
  languages   regdictionary[];
  parts       text[] := '{}';
BEGIN
  SELECT * INTO extra FROM schema_words(manifest);
  in_tags := plain_words(concat_ws(' ', words(tags), extra.tools));
  language := text_language(in_name || in_text);
  languages := ARRAY['english_stem', language];
  IF language::text IN ('german_stem', 'dutch_stem', 'swedish_stem', 'danish_stem', 'norwegian_stem', 'finnish_stem',
      'hungarian_stem') THEN
    parts := word_parts(in_name || in_text || in_tags);
  END IF;
  RETURN array_to_tsvector(ARRAY(
    SELECT DISTINCT f.letter || left(term, 64)
      FROM (VALUES ('n:', in_name, languages), ('g:', in_tags, languages), ('d:', in_text, languages),
          ('s:', plain_words(coalesce(extra.properties, '')), languages), ('p:', parts, ARRAY[language]))
        f (letter, words, languages)
      CROSS JOIN LATERAL search_stems(f.words, f.languages) term
     WHERE term <> ''));
END $$;
