-- Ends a slash. decision: developer_silent (the developer did not answer in time) | upheld | overturned. Returns the
-- status of the slash and, when it left a shortfall, the time until which the bond must be topped up.
-- Called by: src/stores/bonds/slashes.ts.
-- Locks: the slash, the bond, accounts in id order (slash_refund or slash_return), then the developer's agents.
CREATE OR REPLACE FUNCTION slash_resolve(id text, decision text, text_id text, operator text, as_of timestamptz,
  OUT status text, OUT top_up_by timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  slash slashes := slash_lock(id);
  returned bigint := 0;
BEGIN
  IF NOT coalesce(CASE decision WHEN 'developer_silent' THEN slash.status = 'applied'
      WHEN 'upheld' THEN slash.status = 'contested'
      WHEN 'overturned' THEN slash.status IN ('applied', 'contested') END, false) THEN
    status := slash.status;
    top_up_by := slash.top_up_by;
    RETURN;
  END IF;
  IF decision = 'overturned' THEN
    PERFORM slash_return(slash, slash.amount_units);
  ELSE
    returned := slash_refund(slash);
    top_up_by := slash_shortfall(slash, as_of);
  END IF;
  UPDATE slashes s SET status = CASE decision WHEN 'overturned' THEN 'overturned' ELSE 'final' END,
      resolution = CASE decision WHEN 'developer_silent' THEN 'developer_silent' ELSE 'operator' END,
      resolved_at = as_of, resolved_by = operator, decision_id = text_id, top_up_by = slash_resolve.top_up_by,
      returned_units = returned
    WHERE s.slash_id = id RETURNING s.* INTO slash;
  status := slash.status;
  PERFORM slash_event(slash, CASE slash.status WHEN 'final' THEN 'slash.finalized' ELSE 'slash.overturned' END,
    'slash_' || slash.status, as_of);
  IF top_up_by IS NOT NULL THEN
    PERFORM bond_notify(slash.developer_user_id, 'bond_shortfall', id, NULL,
      jsonb_build_object('top_up_by', event_time(top_up_by)), as_of);
  END IF;
  PERFORM bond_cover_shortfall(slash.developer_user_id, as_of);
  PERFORM bond_pay_waiting(slash.developer_user_id, as_of);
  PERFORM developer_standing_refresh(slash.developer_user_id);
END $$;

REVOKE ALL ON FUNCTION slash_resolve FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION slash_resolve TO market_app;
