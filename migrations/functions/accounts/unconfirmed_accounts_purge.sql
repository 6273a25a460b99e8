-- Frees the addresses of accounts that did not confirm theirs within a day and have nothing
-- (unconfirmed_account_delete). Looks at `most` accounts after the id `after`, in the order of their ids, so that the
-- cost of a batch does not depend on the number of accounts that stay. last_id: the last account that was looked at;
-- null at the end.
-- Called by: src/stores/operations/retention.ts.
-- Locks: each account, skipping locked ones.
CREATE OR REPLACE FUNCTION unconfirmed_accounts_purge(after text, most integer, OUT deleted integer, OUT last_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE id text;
BEGIN
  deleted := 0;
  FOR id IN
    SELECT u.user_id FROM users u WHERE u.email_confirmed_at IS NULL AND u.user_id > after
       AND u.created_at < now() - interval '1 day' AND u.role <> 'operator'
     ORDER BY u.user_id LIMIT most FOR UPDATE SKIP LOCKED
  LOOP
    last_id := id;
    IF unconfirmed_account_delete(id) THEN
      deleted := deleted + 1;
    END IF;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION unconfirmed_accounts_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION unconfirmed_accounts_purge TO market_app;
