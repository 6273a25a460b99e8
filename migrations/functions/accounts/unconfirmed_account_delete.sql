-- Deletes the account `id` with its sessions, tokens, notices and settings, and so frees its address, if the address was
-- not confirmed within a day and the account has nothing: no key or grant in use, no agent, and nothing else that refers
-- to it, such as money, calls, tasks, used mandates and payments. Webhooks, favourites, a payout method, a tax form and
-- keys of mandates cost nothing, so they do not keep it. Returns whether it was deleted.
-- Called by: unconfirmed_accounts_purge, src/stores/accounts/users.ts.
-- Locks: the account.
CREATE OR REPLACE FUNCTION unconfirmed_account_delete(id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM users u WHERE u.user_id = id AND u.email_confirmed_at IS NULL AND u.role <> 'operator'
     AND u.created_at < now() - interval '1 day' FOR UPDATE;
  IF NOT FOUND
    OR EXISTS (SELECT FROM api_keys k WHERE k.user_id = id AND k.deleted_at IS NULL
                  AND (k.expires_at IS NULL OR k.expires_at > now()))
    OR EXISTS (SELECT FROM mandates m WHERE m.issuer_user_id = id)
    OR EXISTS (SELECT FROM a2a_tasks t WHERE t.caller_user_id = id)
    OR EXISTS (SELECT FROM all_invocations i WHERE i.buyer_user_id = id) THEN
    RETURN false;
  END IF;
  DELETE FROM accounts a WHERE a.user_id = id;
  DELETE FROM sessions s WHERE s.sess -> 'passport' ->> 'user' = id;
  DELETE FROM mails m WHERE m.recipient = id;
  DELETE FROM security_mails m WHERE m.recipient = id;
  DELETE FROM mail_tokens t WHERE t.user_id = id;
  DELETE FROM favourites f WHERE f.user_id = id;
  DELETE FROM webhooks w WHERE w.user_id = id;
  DELETE FROM event_inbox i WHERE i.user_id = id;
  DELETE FROM event_followers f WHERE f.user_id = id;
  DELETE FROM developer_notices n WHERE n.developer_user_id = id;
  DELETE FROM billing_details d WHERE d.user_id = id;
  DELETE FROM account_notices n WHERE n.user_id = id;
  DELETE FROM notice_mails n WHERE n.user_id = id;
  DELETE FROM mail_settings m WHERE m.user_id = id;
  DELETE FROM payout_methods p WHERE p.developer_user_id = id;
  DELETE FROM tax_forms t WHERE t.developer_user_id = id;
  DELETE FROM mandate_keys k WHERE k.user_id = id;
  DELETE FROM mandate_revocations r WHERE r.issuer_user_id = id;
  DELETE FROM recovery_codes c WHERE c.user_id = id;
  DELETE FROM authenticators c WHERE c.user_id = id;
  DELETE FROM oauth_devices d WHERE d.user_id = id;
  DELETE FROM oauth_secrets s USING oauth_grants g WHERE g.grant_id = s.grant_id AND g.user_id = id;
  DELETE FROM oauth_grants g WHERE g.user_id = id;
  DELETE FROM api_key_secrets s USING api_keys k WHERE k.key_id = s.key_id AND k.user_id = id;
  DELETE FROM api_keys k WHERE k.user_id = id;
  DELETE FROM budgets b WHERE b.user_id = id;
  DELETE FROM balance_alerts b WHERE b.user_id = id;
  DELETE FROM login_places p WHERE p.user_id = id;
  DELETE FROM owner_signs s WHERE s.user_id = id;
  DELETE FROM owner_groups g WHERE g.user_id = id;
  -- Accounts that stay in a group of its id: the group has the id of its least account.
  WITH renamed AS (
    UPDATE owner_groups g SET group_id = (SELECT min(m.user_id) FROM owner_groups m WHERE m.group_id = id)
     WHERE g.group_id = id RETURNING g.user_id)
  INSERT INTO owner_changes (user_id) SELECT r.user_id FROM renamed r ORDER BY 1 ON CONFLICT (user_id) DO NOTHING;
  DELETE FROM users u WHERE u.user_id = id;
  RETURN true;
EXCEPTION WHEN foreign_key_violation OR check_violation THEN
  RETURN false; -- something refers to it, or it had money
END $$;

REVOKE ALL ON FUNCTION unconfirmed_account_delete FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION unconfirmed_account_delete TO market_app;
