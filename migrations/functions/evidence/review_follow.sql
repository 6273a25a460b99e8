-- Counts a review that is new, was removed, or is of another buyer now.
-- Called by: trigger reviews_counted on reviews.
-- Locks: those of review_count.
CREATE OR REPLACE FUNCTION review_follow() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.unit_id IS DISTINCT FROM NEW.unit_id AND OLD.unit_id IS NOT NULL THEN
    PERFORM review_count(NEW.agent_id, OLD.unit_id);
  END IF;
  IF NEW.unit_id IS NOT NULL THEN
    PERFORM review_count(NEW.agent_id, NEW.unit_id);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION review_follow FROM PUBLIC, market_app;
