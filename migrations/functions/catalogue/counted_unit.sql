-- The id under which figures count a buyer of a developer's agents: that of its group, or its own. Null if the two are related, so
-- that the buyer is not counted. A paying address without an account costs nothing, so those of the last 30 days are one buyer.
-- Called by: acceptance_buyers_differ, buyer_days_add, owner_changes_apply, review_write, usage_recount,
-- warranty_decide.
-- Locks: none.
CREATE OR REPLACE FUNCTION counted_unit(buyer text, developer text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF related_owners(buyer, developer) THEN RETURN NULL; END IF;
  IF EXISTS (SELECT FROM users u WHERE u.user_id = buyer AND u.kind = 'payer' AND u.created_at > now() - interval '30 days')
    AND owner_unit(buyer) = buyer THEN
    RETURN 'new payers';
  END IF;
  RETURN owner_unit(buyer);
END $$;

REVOKE ALL ON FUNCTION counted_unit FROM PUBLIC, market_app;
