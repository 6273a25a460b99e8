-- Returns everything of a rubric that can change a score: all but its name and its texts.
-- Called by: rubric_publish.
-- Locks: none.
CREATE OR REPLACE FUNCTION rubric_weights(document text) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT document::jsonb - 'version' - 'texts'
$$;
