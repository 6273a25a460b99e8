-- Keeps the budget of the mandates of a call up to date, by trigger, so that no end of a call can forget it.
-- pending, running: the price is reserved · succeeded, or failed with a charge: the charge is spent,
-- less the part that a dispute returned · otherwise neither.
-- Called by: trigger invocations_mandate_made on invocations, trigger invocations_mandate_moved on invocations, trigger
-- invocations_mandate_returned on invocations.
-- Locks: the mandates of the call, root first, after the wallet and the invocation.
CREATE OR REPLACE FUNCTION mandate_follow_call() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  now_open   boolean := NEW.status IN ('pending', 'running');
  was_open   boolean := TG_OP = 'UPDATE' AND OLD.status IN ('pending', 'running');
  was_paid   boolean := TG_OP = 'UPDATE'
    AND coalesce(OLD.status = 'succeeded' OR OLD.status = 'failed' AND OLD.charged_units > 0, false);
  now_paid   boolean := coalesce(NEW.status = 'succeeded' OR NEW.status = 'failed' AND NEW.charged_units > 0, false);
  reserved   bigint := CASE WHEN now_open THEN NEW.price_units ELSE 0 END;
  spent      bigint := CASE WHEN now_paid THEN NEW.charged_units - coalesce(NEW.returned_units, 0) ELSE 0 END;
  uses       integer := CASE WHEN now_open OR now_paid THEN 1 ELSE 0 END;
  level_id   text := NEW.mandate_id;
  path       text[] := '{}';
BEGIN
  IF was_open THEN reserved := reserved - OLD.price_units; END IF;
  IF was_paid THEN spent := spent - OLD.charged_units + coalesce(OLD.returned_units, 0); END IF;
  IF was_open OR was_paid THEN uses := uses - 1; END IF;
  IF reserved = 0 AND spent = 0 AND uses = 0 THEN
    RETURN NULL;
  END IF;
  WHILE level_id IS NOT NULL LOOP
    path := level_id || path;
    SELECT m.parent_id INTO STRICT level_id FROM mandates m
      WHERE m.issuer_user_id = NEW.buyer_user_id AND m.mandate_id = level_id;
  END LOOP;
  FOREACH level_id IN ARRAY path LOOP
    UPDATE mandates m SET reserved_units = m.reserved_units + reserved, spent_units = m.spent_units + spent,
        occurrences = m.occurrences + uses
      WHERE m.issuer_user_id = NEW.buyer_user_id AND m.mandate_id = level_id;
  END LOOP;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION mandate_follow_call FROM PUBLIC, market_app;
