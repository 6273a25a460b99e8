-- Appends the audit log entry for the review of a tax form.
-- Called by: trigger tax_forms_operator_log on tax_forms.
-- Locks: none.
CREATE OR REPLACE FUNCTION operator_note_tax_form() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM operator_note(NEW.reviewed_by, 'tax_form.review', NEW.developer_user_id, NEW.review_reason,
    jsonb_build_object('form_id', NEW.form_id, 'kind', NEW.kind, 'decision', NEW.status));
  RETURN NULL;
END $$;
