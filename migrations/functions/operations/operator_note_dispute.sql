-- Appends the audit log entry for an operator's decision about a dispute. A trigger writes it, because a workflow
-- decides later than the operator asked and may repeat: this way there is exactly one entry per decision.
-- Called by: trigger disputes_operator_log on disputes.
-- Locks: none.
CREATE OR REPLACE FUNCTION operator_note_dispute() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM operator_note(NEW.resolved_by, 'dispute.resolve', NEW.dispute_id,
    (SELECT t.body FROM dispute_texts t WHERE t.text_id = NEW.decision_id),
    jsonb_build_object('decision', CASE NEW.status WHEN 'won' THEN 'buyer' ELSE 'developer' END,
      'invocation_id', NEW.invocation_id, 'refunded_units', NEW.refunded_units));
  RETURN NULL;
END $$;
