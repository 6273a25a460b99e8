-- What stays of a manifest when its developer has deleted the account: the parts that say what calls cost.
-- Called by: account_erase_agents.
-- Locks: none.
CREATE OR REPLACE FUNCTION account_erased_manifest(manifest text, slug text, version text, gone text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object('slug', slug, 'version', version, 'display_name', 'Deleted agent',
    'description', gone, 'category', m -> 'category', 'pricing', m -> 'pricing', 'tags', '[]'::jsonb))::text
    FROM (VALUES (manifest_json(manifest))) parsed (m)
$$;

REVOKE ALL ON FUNCTION account_erased_manifest FROM PUBLIC, market_app;
