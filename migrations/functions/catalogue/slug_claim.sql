-- Claims a slug for a developer if it is free. Returns its owner, and the kind that its agents share (null: it has
-- none). One call in place of four statements, because a publisher waits for each of them
-- (docs/internals/queues.md#publications).
-- Called by: src/stores/catalogue/agents.ts.
-- Locks: the slug until the transaction ends, so that versions of one slug are published one after another.
CREATE OR REPLACE FUNCTION slug_claim(p_slug text, p_developer text, OUT owner text, OUT kind text)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('slug/' || p_slug, 0));
  INSERT INTO slugs (slug, developer_user_id) VALUES (p_slug, p_developer) ON CONFLICT DO NOTHING;
  SELECT s.developer_user_id, (SELECT a.kind FROM agents a WHERE a.slug = s.slug LIMIT 1) INTO STRICT owner, kind
    FROM slugs s WHERE s.slug = p_slug;
END $$;

REVOKE ALL ON FUNCTION slug_claim FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION slug_claim TO market_app;
