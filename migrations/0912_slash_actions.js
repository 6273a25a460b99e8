/** What operators do with slashes stands in their log (0940), in the same transaction. */
exports.up = (knex) =>
  knex.raw(`
  CREATE FUNCTION slash_action() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    INSERT INTO operator_actions (action_id, operator_user_id, action, subject, reason, details, trace_id)
    VALUES (ledger_new_id('opa'), CASE TG_OP WHEN 'INSERT' THEN NEW.applied_by ELSE NEW.resolved_by END,
      CASE TG_OP WHEN 'INSERT' THEN 'slash.apply' ELSE 'slash.resolve' END, NEW.slash_id,
      CASE TG_OP WHEN 'INSERT' THEN NEW.explanation
        ELSE (SELECT t.body FROM slash_texts t WHERE t.text_id = NEW.decision_id) END,
      jsonb_build_object('agent_id', NEW.agent_id, 'developer_user_id', NEW.developer_user_id,
        'credits', event_credits(NEW.amount_units), 'status', NEW.status), NEW.trace_id);
    RETURN NULL;
  END $$;
  CREATE TRIGGER slashes_applied AFTER INSERT ON slashes FOR EACH ROW EXECUTE FUNCTION slash_action();
  CREATE TRIGGER slashes_decided AFTER UPDATE OF status ON slashes FOR EACH ROW
    WHEN (NEW.resolved_by IS NOT NULL AND OLD.resolved_by IS NULL) EXECUTE FUNCTION slash_action();
  REVOKE ALL ON FUNCTION slash_action FROM PUBLIC;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER slashes_decided ON slashes; DROP TRIGGER slashes_applied ON slashes;
  DROP FUNCTION slash_action;
`);
