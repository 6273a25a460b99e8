-- Refuses every statement of its trigger, for tables that are written once.
-- Called by: month_detach, partition_finish, triggers of 27 tables.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- account_erase replaces names and reasons that are no part of the ledger.
  IF TG_OP = 'UPDATE' AND current_setting('market.erasing', true) = 'on'
     AND (TG_TABLE_NAME IN ('operator_actions', 'invoices')
       OR TG_TABLE_SCHEMA = 'archive' AND TG_TABLE_NAME LIKE 'invocations%') THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the ledger is written once: % on % is refused', TG_OP, TG_TABLE_NAME USING ERRCODE = '23514';
END $$;
