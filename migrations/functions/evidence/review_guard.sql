-- Refuses every change of what a review says, and a new review if its call is no paid success of its buyer within 30 days, or if the
-- buyer is related to the developer. The receipt is a foreign key.
-- Called by: trigger reviews_guard on reviews.
-- Locks: none.
CREATE OR REPLACE FUNCTION review_guard() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM invocations i WHERE i.invocation_id = NEW.invocation_id AND i.buyer_user_id = NEW.buyer_user_id
        AND i.developer_user_id = NEW.developer_user_id AND i.agent_id = NEW.agent_id AND i.version = NEW.version
        AND i.status = 'succeeded' AND i.charged_units = NEW.charged_units AND i.charged_units > 0
        AND i.settled_at > now() - interval '30 days') THEN
      RAISE EXCEPTION 'call % has no review: it is no paid success of the last 30 days', NEW.invocation_id USING ERRCODE = '23514';
    END IF;
    IF NEW.unit_id IS NULL OR related_owners(NEW.buyer_user_id, NEW.developer_user_id) THEN
      RAISE EXCEPTION 'the buyer of % is related to its developer', NEW.invocation_id USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END IF;
  IF (NEW.review_id, NEW.invocation_id, NEW.agent_id, NEW.version, NEW.developer_user_id, NEW.buyer_user_id, NEW.rating,
      NEW.charged_units, NEW.weight, NEW.created_at) IS DISTINCT FROM (OLD.review_id, OLD.invocation_id, OLD.agent_id, OLD.version,
      OLD.developer_user_id, OLD.buyer_user_id, OLD.rating, OLD.charged_units, OLD.weight, OLD.created_at)
    OR OLD.removed_at IS NOT NULL AND NEW.removed_at IS DISTINCT FROM OLD.removed_at
    OR (NEW.body IS DISTINCT FROM OLD.body OR OLD.answer IS NOT NULL AND NEW.answer IS DISTINCT FROM OLD.answer)
      AND coalesce(current_setting('market.erasing', true), '') <> 'on' THEN
    RAISE EXCEPTION 'review % does not change', OLD.review_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;

REVOKE ALL ON FUNCTION review_guard FROM PUBLIC, market_app;
