-- Writes a notice for the owner of a private agent about a request for access, and for the account that asked about the
-- decision.
-- Called by: trigger agent_access_requests_notice on agent_access_requests.
-- Locks: none.
CREATE OR REPLACE FUNCTION access_request_noted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF NEW.state = 'pending' THEN
    PERFORM notice_record('access.requested', jsonb_build_object('agent_id', NEW.agent_id, 'request_id', NEW.request_id,
        'name', (SELECT u.display_name FROM users u WHERE u.user_id = NEW.owner_id)),
      ARRAY[NEW.developer_user_id], NEW.agent_id);
  ELSE
    PERFORM notice_record('access.' || NEW.state, jsonb_build_object('agent_id', NEW.agent_id, 'request_id', NEW.request_id),
      ARRAY[NEW.owner_id], NEW.agent_id);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION access_request_noted FROM PUBLIC, market_app;
