-- Whether two accounts belong to one hand, so that neither says anything about the other (docs/related-accounts.md). True for an account and
-- itself, and the same in both directions.
-- Called by: counted_unit, review_guard.
-- Locks: none.
CREATE OR REPLACE FUNCTION related_owners(one text, other text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT owner_relation(one, other) IS NOT NULL
$$;

REVOKE ALL ON FUNCTION related_owners FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION related_owners TO market_app;
