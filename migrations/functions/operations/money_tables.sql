-- Lists the partitioned tables that hold money and calls: a month of them is detached as a whole (ADR 0143).
-- Called by: month_detach, month_prepare.
-- Locks: none.
CREATE OR REPLACE FUNCTION money_tables(OUT parent text, OUT prefix text) RETURNS SETOF record
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT t.parent, t.prefix FROM partitioned_tables() t WHERE t.prefix IN ('txn', 'inv')
$$;
