-- The tools of a manifest's examples, and the names, titles and descriptions of the properties of its schemas, each up to
-- 8,000 characters.
-- Called by: search_terms_of.
-- Locks: none.
CREATE OR REPLACE FUNCTION schema_words(manifest text, OUT tools text, OUT properties text) LANGUAGE plpgsql
  IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  document jsonb;
BEGIN
  BEGIN
    document := manifest::jsonb;
  EXCEPTION WHEN others THEN
    -- JSON may have a character that no text of Postgres can (\u0000).
    RETURN;
  END;
  SELECT left(string_agg(DISTINCT tool #>> '{}', ' '), 8000) INTO tools
    FROM jsonb_path_query(document, '$.examples[*].input.tool') tool;
  SELECT left(string_agg(concat_ws(' ', p.key, p.value ->> 'title', p.value ->> 'description'), E'\n'), 8000) INTO properties
    FROM (VALUES ('input_schema'), ('output_schema')) s (name)
    CROSS JOIN LATERAL jsonb_path_query(document -> s.name, 'strict $.**{0 to 8}.properties') o
    CROSS JOIN LATERAL jsonb_each(CASE jsonb_typeof(o) WHEN 'object' THEN o END) p
   WHERE jsonb_typeof(p.value) = 'object';
END $$;
