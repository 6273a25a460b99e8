-- Writes the audit log entry for a slash that an operator applies or resolves.
-- Called by: trigger slashes_applied on slashes, trigger slashes_decided on slashes.
-- Locks: none.
CREATE OR REPLACE FUNCTION slash_action() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  -- No operator has applied it.
  IF TG_OP = 'INSERT' AND NEW.refund = 'warranty' THEN RETURN NULL; END IF;
  INSERT INTO operator_actions (action_id, operator_user_id, action, subject, reason, details, trace_id)
  VALUES (ledger_new_id('opa'), CASE TG_OP WHEN 'INSERT' THEN NEW.applied_by ELSE NEW.resolved_by END,
    CASE TG_OP WHEN 'INSERT' THEN 'slash.apply' ELSE 'slash.resolve' END, NEW.slash_id,
    CASE TG_OP WHEN 'INSERT' THEN NEW.explanation
      ELSE (SELECT t.body FROM slash_texts t WHERE t.text_id = NEW.decision_id) END,
    jsonb_build_object('agent_id', NEW.agent_id, 'developer_user_id', NEW.developer_user_id,
      'credits', event_credits(NEW.amount_units - NEW.returned_units), 'requested_credits', event_credits(NEW.requested_units),
      'refund', NEW.refund, 'status', NEW.status), NEW.trace_id);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION slash_action FROM PUBLIC, market_app;
