-- Deletes accounts of people whose address was not confirmed for 30 days, with their sessions, keys and tokens. Looks at
-- `most` of them after the id `after`, in the order of their ids. An account that anything else refers to stays: money,
-- calls, agents, mandates, payments, grants. last_id: the last account that was looked at; null at the end.
-- Called by: src/stores/operations/retention.ts.
-- Locks: each account, skipping locked ones.
CREATE OR REPLACE FUNCTION unconfirmed_accounts_purge(after text, most integer, OUT deleted integer, OUT last_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE id text;
BEGIN
  deleted := 0;
  FOR id IN
    SELECT u.user_id FROM users u WHERE u.email_confirmed_at IS NULL AND u.user_id > after
       AND u.created_at < now() - interval '30 days' AND u.role <> 'operator'
     ORDER BY u.user_id LIMIT most FOR UPDATE SKIP LOCKED
  LOOP
    last_id := id;
    CONTINUE WHEN EXISTS (SELECT FROM all_invocations i WHERE i.buyer_user_id = id)
      OR EXISTS (SELECT FROM a2a_tasks t WHERE t.caller_user_id = id)
      OR EXISTS (SELECT FROM mandates m WHERE m.issuer_user_id = id)
      OR EXISTS (SELECT FROM mandate_revocations r WHERE r.issuer_user_id = id);
    BEGIN
      DELETE FROM accounts a WHERE a.user_id = id;
      DELETE FROM sessions s WHERE s.sess -> 'passport' ->> 'user' = id;
      DELETE FROM mails m WHERE m.recipient = id;
      DELETE FROM mail_tokens t WHERE t.user_id = id;
      DELETE FROM recovery_codes c WHERE c.user_id = id;
      DELETE FROM authenticators c WHERE c.user_id = id;
      DELETE FROM api_key_secrets s USING api_keys k WHERE k.key_id = s.key_id AND k.user_id = id;
      DELETE FROM api_keys k WHERE k.user_id = id;
      DELETE FROM users u WHERE u.user_id = id;
      deleted := deleted + 1;
    EXCEPTION WHEN foreign_key_violation OR check_violation THEN NULL; -- something refers to it, or it had money
    END;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION unconfirmed_accounts_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION unconfirmed_accounts_purge TO market_app;
