/**
 * The log of operators without gaps (docs/operations.md, "Operators"). Where the row of a deed names the operator, the
 * database writes the log with it: rulings are written by a workflow, later than they were asked for and perhaps more
 * than once, and this way there is neither a deed without its line nor a line too many (slashes: 0912). Everything else is
 * written by the service in the transaction of the deed.
 *
 * Commands that work on the database know no account: their lines say who ran them, on which host.
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE operator_actions
    ALTER COLUMN operator_user_id DROP NOT NULL,
    ADD COLUMN run_by text CHECK (length(run_by) BETWEEN 1 AND 200),
    ADD CONSTRAINT operator_actions_who CHECK (num_nonnulls(operator_user_id, run_by) = 1);
  COMMENT ON COLUMN operator_actions.run_by IS 'user@host that ran a command on the database, instead of an account';
  CREATE INDEX operator_actions_action ON operator_actions (action, action_id DESC);

  CREATE FUNCTION operator_note(who text, deed text, about text, why text, more jsonb) RETURNS void
  LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    INSERT INTO operator_actions (action_id, operator_user_id, run_by, action, subject, reason, details)
    SELECT 'opa_' || replace(uuidv7()::text, '-', ''), u.user_id, CASE WHEN u.user_id IS NULL THEN who END, deed, about,
      coalesce(nullif(left(why, 4000), ''), 'none given'), more
    FROM (VALUES (who)) named (id) LEFT JOIN users u ON u.user_id = named.id
  $$;

  CREATE FUNCTION operator_note_dispute() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM operator_note(NEW.resolved_by, 'dispute.resolve', NEW.dispute_id,
      (SELECT t.body FROM dispute_texts t WHERE t.text_id = NEW.decision_id),
      jsonb_build_object('decision', CASE NEW.status WHEN 'won' THEN 'buyer' ELSE 'developer' END,
        'invocation_id', NEW.invocation_id, 'refunded_units', NEW.refunded_units));
    RETURN NULL;
  END $$;
  CREATE TRIGGER disputes_operator_log AFTER UPDATE ON disputes FOR EACH ROW
    WHEN (OLD.resolved_by IS NULL AND NEW.resolved_by IS NOT NULL) EXECUTE FUNCTION operator_note_dispute();

  CREATE FUNCTION operator_note_tax_form() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM operator_note(NEW.reviewed_by, 'tax_form.review', NEW.developer_user_id, NEW.review_reason,
      jsonb_build_object('form_id', NEW.form_id, 'kind', NEW.kind, 'decision', NEW.status));
    RETURN NULL;
  END $$;
  CREATE TRIGGER tax_forms_operator_log AFTER UPDATE ON tax_forms FOR EACH ROW
    WHEN (OLD.reviewed_by IS NULL AND NEW.reviewed_by IS NOT NULL) EXECUTE FUNCTION operator_note_tax_form();

  -- Rates that nobody loaded by hand are no deeds.
  CREATE FUNCTION operator_note_rate() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM operator_note(NEW.loaded_by, 'exchange_rate.load', NEW.base || '/' || NEW.quote, 'source: ' || NEW.source,
      jsonb_build_object('rate', NEW.rate::text, 'rate_id', NEW.rate_id,
        'observed_at', to_char(NEW.observed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
    RETURN NULL;
  END $$;
  CREATE TRIGGER fx_rates_operator_log AFTER INSERT ON fx_rates FOR EACH ROW
    WHEN (NEW.loaded_by LIKE 'usr\\_%') EXECUTE FUNCTION operator_note_rate();
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER fx_rates_operator_log ON fx_rates;
  DROP TRIGGER tax_forms_operator_log ON tax_forms;
  DROP TRIGGER disputes_operator_log ON disputes;
  DROP FUNCTION operator_note_rate, operator_note_tax_form, operator_note_dispute, operator_note;
  DROP INDEX operator_actions_action;
  ALTER TABLE operator_actions DROP CONSTRAINT operator_actions_who, DROP COLUMN run_by,
    ALTER COLUMN operator_user_id SET NOT NULL;
`);
