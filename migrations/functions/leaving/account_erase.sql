-- Erases a part of the personal data of an account whose deletion is in the state erasing, and does nothing for any
-- other account. Parts, in this order: access, notices, agents, calls, tasks, mandates, texts, money, account. `after`
-- is the position behind which a part in batches goes on, '' at its begin. Returns the next position; null when the part
-- is done. Each part may be repeated. Ids, amounts and times stay (docs/leaving.md#what-stays).
-- Called by: src/stores/leaving/deletions.ts.
-- Locks: the rows that it changes.
CREATE OR REPLACE FUNCTION account_erase(owner_id text, part text, after text, most integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  pseudonym constant text := 'Deleted account';
  gone      constant text := 'Deleted with the account.';
  address   constant text := lower(owner_id || '@deleted.invalid');
  known     text[];
  ids       text[];
BEGIN
  PERFORM FROM account_deletions d WHERE d.user_id = owner_id AND d.state = 'erasing';
  IF NOT FOUND THEN RETURN NULL; END IF;
  -- Until the end of the transaction, the guards of invoices, versions, disputes and the audit log let it replace texts.
  PERFORM set_config('market.erasing', 'on', true);
  SELECT ARRAY[u.email, u.pending_email] INTO known FROM users u WHERE u.user_id = owner_id;
  CASE part
  WHEN 'access' THEN
    DELETE FROM sessions s WHERE s.sess -> 'passport' ->> 'user' = owner_id;
    DELETE FROM mail_tokens t WHERE t.user_id = owner_id;
    DELETE FROM recovery_codes c WHERE c.user_id = owner_id;
    DELETE FROM sso_identities i WHERE i.user_id = owner_id;
    DELETE FROM authenticators c WHERE c.user_id = owner_id;
    DELETE FROM login_places p WHERE p.user_id = owner_id;
    DELETE FROM owner_signs s WHERE s.user_id = owner_id;
    DELETE FROM owner_groups g WHERE g.user_id = owner_id;
    DELETE FROM oauth_devices d WHERE d.user_id = owner_id;
    DELETE FROM oauth_secrets s USING oauth_grants g WHERE g.grant_id = s.grant_id AND g.user_id = owner_id;
    DELETE FROM oauth_programs s USING oauth_grants g WHERE g.grant_id = s.grant_id AND g.user_id = owner_id;
    DELETE FROM oauth_grants g WHERE g.user_id = owner_id;
    DELETE FROM api_key_secrets s USING api_keys k WHERE k.key_id = s.key_id AND k.user_id = owner_id;
    UPDATE api_keys k SET name = 'deleted', hint = CASE k.kind WHEN 'key' THEN '----' END,
           deleted_at = coalesce(k.deleted_at, now()) WHERE k.user_id = owner_id;
    UPDATE organisation_actions a SET details = '{}'
     WHERE a.org_id = ANY (ARRAY(SELECT m.org_id FROM organisation_members m WHERE m.user_id = owner_id
         UNION SELECT unnest(d.left_organisations) FROM account_deletions d WHERE d.user_id = owner_id
         UNION SELECT o.org_id FROM organisation_actions o WHERE o.person = owner_id))
       AND EXISTS (SELECT FROM unnest(known) k WHERE strpos(lower(a.details::text), lower(k)) > 0);
    UPDATE organisation_actions a SET network = NULL, user_agent = NULL, details = '{}' WHERE a.person = owner_id;
    UPDATE organisations o SET contact_email = u.email FROM organisation_members m JOIN users u ON u.user_id = m.user_id
     WHERE lower(o.contact_email) = ANY (ARRAY(SELECT lower(k) FROM unnest(known) k))
       AND m.org_id = o.org_id AND m.role = 'owner' AND m.user_id <> owner_id;
    DELETE FROM organisation_invitations i
     WHERE lower(i.email) = ANY (ARRAY(SELECT lower(k) FROM unnest(known) k)) OR i.invited_by = owner_id;
    DELETE FROM organisation_members m WHERE m.user_id = owner_id OR m.org_id = owner_id;
    DELETE FROM organisation_invitations i WHERE i.org_id = owner_id;
    DELETE FROM identity_providers p WHERE p.org_id = owner_id;
    DELETE FROM organisation_allowed l WHERE l.org_id = owner_id;
    DELETE FROM organisation_rules r WHERE r.org_id = owner_id;
    UPDATE organisations o SET contact_email = address WHERE o.org_id = owner_id;
    DELETE FROM mandate_keys k WHERE k.user_id = owner_id;
    DELETE FROM mandate_revocations r WHERE r.issuer_user_id = owner_id;
  WHEN 'notices' THEN
    RETURN account_erase_notices(owner_id, known, after, most);
  WHEN 'agents' THEN
    ids := ARRAY(SELECT a.agent_id FROM agents a WHERE a.developer_user_id = owner_id AND a.agent_id > after
                 ORDER BY a.agent_id LIMIT least(most, 20));
    PERFORM account_erase_agents(ids, gone);
    RETURN ids[array_upper(ids, 1)];
  WHEN 'calls' THEN
    ids := ARRAY(SELECT i.invocation_id FROM all_invocations i WHERE i.buyer_user_id = owner_id AND i.invocation_id > after
                 ORDER BY i.invocation_id LIMIT most);
    PERFORM account_erase_calls(owner_id, ids);
    RETURN ids[array_upper(ids, 1)];
  WHEN 'tasks' THEN
    ids := ARRAY(SELECT t.task_id FROM a2a_tasks t WHERE t.caller_user_id = owner_id AND t.task_id > after
                 ORDER BY t.task_id LIMIT most);
    DELETE FROM a2a_push_configs p WHERE p.task_id = ANY (ids);
    UPDATE a2a_tasks t SET input = NULL, acceptance = NULL, message = NULL, context_id = 'deleted' WHERE t.task_id = ANY (ids);
    RETURN ids[array_upper(ids, 1)];
  WHEN 'mandates' THEN
    RETURN account_erase_mandates(owner_id, after, most);
  WHEN 'texts' THEN
    RETURN account_erase_texts(owner_id, gone, after, most);
  WHEN 'money' THEN
    DELETE FROM auto_topups t WHERE t.user_id = owner_id;
    DELETE FROM balance_alerts b WHERE b.user_id = owner_id;
    DELETE FROM budgets b WHERE b.user_id = owner_id;
    DELETE FROM billing_details d WHERE d.user_id = owner_id;
    DELETE FROM price_quotes q WHERE q.user_id = owner_id;
    DELETE FROM spend_tag_days s WHERE s.buyer_user_id = owner_id;
    UPDATE saved_methods m SET label = 'deleted', customer_ref = 'deleted', method_ref = m.method_id,
           ended_at = coalesce(m.ended_at, now()) WHERE m.user_id = owner_id;
    UPDATE topups t SET payment_url = NULL, idempotency_key = NULL,
           terms = t.terms || jsonb_build_object('billed_to', jsonb_build_object('name', pseudonym))
     WHERE t.user_id = owner_id;
    UPDATE invoices i SET billed_to = jsonb_strip_nulls(jsonb_build_object('name', pseudonym, 'country', i.billed_to -> 'country'))
     WHERE i.user_id = owner_id AND i.billed_to IS NOT NULL;
    UPDATE payout_methods p SET sealed = NULL, masked = '{}' WHERE p.developer_user_id = owner_id;
    DELETE FROM tax_forms t WHERE t.developer_user_id = owner_id;
    DELETE FROM account_export_parts p USING account_exports e WHERE e.user_id = owner_id AND p.export_id = e.export_id;
    DELETE FROM account_exports e WHERE e.user_id = owner_id;
  WHEN 'account' THEN
    UPDATE users u SET email = address, pending_email = NULL, display_name = pseudonym, password_hash = '',
           developer_id = CASE WHEN u.developer_id IS NOT NULL THEN 'dev_deleted-' || right(owner_id, 16) END,
           email_confirmed_at = NULL, authenticator_since = NULL, time_zone = 'UTC', keep_days = 0,
           erased_at = coalesce(u.erased_at, now()) WHERE u.user_id = owner_id;
  END CASE;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION account_erase FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION account_erase TO market_app;
