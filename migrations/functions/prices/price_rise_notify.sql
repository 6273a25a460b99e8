-- Writes the notices and events of the oldest price rise that is being announced, for up to most buyers of one of its
-- days. Days are walked from the oldest on, and a buyer of an earlier day was notified before, so each buyer is notified once. A private agent is news for those alone who still see it. All of a
-- turn is one transaction: a process that ends within it has written no notice. A rise that no longer stands, because another
-- version replaced it or its agent left, ends without further notices. Returns the rows of buyers that it read; null
-- without a rise, also while another process has the only one.
-- Called by: src/stores/prices/price-rises.ts.
-- Locks: the rise.
CREATE OR REPLACE FUNCTION price_rise_notify(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  rise   price_rises%ROWTYPE;
  offer  record;
  buyers text[];
  fresh  text[];
BEGIN
  SELECT r.* INTO rise FROM price_rises r WHERE r.ended_at IS NULL ORDER BY r.announced_at LIMIT 1
    FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT g.slug, g.visibility, g.developer_user_id AS owner, v.version, v.former_price -> 'pricing' AS pricing, (v.public_part::json -> 'pricing')::jsonb AS next_pricing
    INTO offer FROM agents g JOIN agent_versions v ON v.version_id = g.serving_version_id
   WHERE g.agent_id = rise.agent_id AND g.status = 'active' AND v.price_effective_at = rise.effective_at
     AND rise.effective_at > now();
  IF NOT FOUND OR rise.day > rise.last_day THEN
    UPDATE price_rises r SET ended_at = now() WHERE r.agent_id = rise.agent_id AND r.effective_at = rise.effective_at;
    RETURN 0;
  END IF;
  SELECT array_agg(b.buyer_user_id ORDER BY b.buyer_user_id) INTO buyers FROM (
    SELECT d.buyer_user_id FROM buyer_days d
     WHERE d.agent_id = rise.agent_id AND d.day = rise.day AND d.buyer_user_id > rise.after_user
     ORDER BY d.buyer_user_id LIMIT most) b;
  SELECT array_agg(b.buyer) INTO fresh FROM unnest(buyers) b(buyer)
   WHERE (offer.visibility <> 'private' OR agent_shown_to(rise.agent_id, offer.owner, b.buyer)) AND NOT EXISTS (
     SELECT FROM generate_series(1, rise.day - (rise.last_day - 30)) n(n)
       JOIN buyer_days e ON e.agent_id = rise.agent_id AND e.day = rise.day - n.n AND e.buyer_user_id = b.buyer);
  IF fresh IS NOT NULL THEN
    PERFORM event_record('price.announced', jsonb_build_object('agent_id', rise.agent_id, 'slug', offer.slug,
        'version', offer.version, 'pricing', offer.pricing, 'next_pricing', offer.next_pricing,
        'price_effective_at', iso_time(rise.effective_at)), fresh, rise.agent_id);
  END IF;
  UPDATE price_rises r SET notified = r.notified + coalesce(cardinality(fresh), 0),
      day = CASE WHEN coalesce(cardinality(buyers), 0) < most THEN r.day + 1 ELSE r.day END,
      after_user = CASE WHEN coalesce(cardinality(buyers), 0) < most THEN '' ELSE buyers[most] END
    WHERE r.agent_id = rise.agent_id AND r.effective_at = rise.effective_at;
  RETURN coalesce(cardinality(buyers), 0);
END $$;

REVOKE ALL ON FUNCTION price_rise_notify FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION price_rise_notify TO market_app;
