-- Refuses every statement of its trigger, for tables that are written once.
-- Called by: month_detach, partition_finish, triggers of 26 tables.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is written once: % on % is refused', TG_OP, TG_TABLE_NAME USING ERRCODE = '23514';
END $$;
