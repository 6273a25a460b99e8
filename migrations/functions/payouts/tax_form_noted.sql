-- Writes a notice for the developer whose tax form an operator has decided.
-- Called by: trigger tax_forms_notice on tax_forms.
-- Locks: none.
CREATE OR REPLACE FUNCTION tax_form_noted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM notice_record('tax_form.' || NEW.status, jsonb_build_object('form_id', NEW.form_id),
    ARRAY[NEW.developer_user_id], NULL);
  RETURN NULL;
END $$;
