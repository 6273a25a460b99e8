-- A manifest as jsonb, without the character \u0000, which no text of Postgres can have. An escaped backslash before u0000 is
-- text, and stays.
-- Called by: account_erased_manifest, account_erased_public_part, manifest_chats, src/stores/jobs/job-pieces.ts,
-- src/stores/jobs/probe-jobs.ts, src/stores/prices/price-rises.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION manifest_json(manifest text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN strpos(manifest, '\u0000') = 0 THEN manifest::jsonb
    ELSE regexp_replace(manifest, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g')::jsonb END
$$;
