-- Deletes one batch of kept inputs and outputs: those that have expired, then those that their accounts have erased.
-- Returns how many calls they were of.
-- Called by: src/stores/calls/kept-bodies.ts.
-- Locks: the expired bodies, skipping locked ones, then those of kept_bodies_erase, then the accounts.
CREATE OR REPLACE FUNCTION kept_bodies_purge(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  purged  integer;
  erased  integer;
  account text;
  mark    timestamptz;
BEGIN
  DELETE FROM kept_bodies k WHERE k.invocation_id IN (
    SELECT o.invocation_id FROM kept_bodies o WHERE o.expires_at <= now()
    ORDER BY o.expires_at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS purged = ROW_COUNT;
  FOR account, mark IN
    SELECT u.user_id, u.erase_kept_before FROM users u WHERE u.erase_kept_before IS NOT NULL ORDER BY u.user_id LIMIT 10
  LOOP
    EXIT WHEN purged >= most;
    erased := kept_bodies_erase(account, NULL, most - purged);
    purged := purged + erased;
    IF erased = 0 THEN
      -- A mark that the account has set meanwhile stays, for bodies that it covers.
      UPDATE users u SET erase_kept_before = NULL WHERE u.user_id = account AND u.erase_kept_before = mark;
    END IF;
  END LOOP;
  RETURN purged;
END $$;

REVOKE ALL ON FUNCTION kept_bodies_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION kept_bodies_purge TO market_app;
