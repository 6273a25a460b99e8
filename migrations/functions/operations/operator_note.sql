-- Appends an audit log entry. `who` is the id of an operator, or names who ran a command on the database.
-- Called by: operator_note_dispute, operator_note_rate, operator_note_tax_form.
-- Locks: none.
CREATE OR REPLACE FUNCTION operator_note(who text, action text, about text, why text, more jsonb) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO operator_actions (action_id, operator_user_id, run_by, action, subject, reason, details)
  SELECT 'opa_' || replace(uuidv7()::text, '-', ''), u.user_id, CASE WHEN u.user_id IS NULL THEN who END, action, about,
    coalesce(nullif(left(why, 4000), ''), 'none given'), more
  FROM (VALUES (who)) named (id) LEFT JOIN users u ON u.user_id = named.id
$$;
