-- Erases a batch of the notices, mails, events and entries of the log of an account, then what its webhooks delivered, webhook by webhook.
-- `known`: addresses of the account. `after`: '' at the begin, else what the batch before returned; null when all is done.
-- Called by: account_erase.
-- Locks: the rows that it changes.
CREATE OR REPLACE FUNCTION account_erase_notices(owner_id text, known text[], after text, most integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  hook    text;
  ids     text[];
  before  text := split_part(after, ' ', 2);
  n       integer;
  is_more boolean := false;
BEGIN
  IF split_part(after, ' ', 1) <> 'deliveries' THEN
    DELETE FROM notice_mails n WHERE n.mail_id = ANY (ARRAY(
      SELECT m.mail_id FROM notice_mails m WHERE m.user_id = owner_id LIMIT most));
    GET DIAGNOSTICS n = ROW_COUNT;
    is_more := is_more OR n = most;
    DELETE FROM account_notices a WHERE a.notice_id = ANY (ARRAY(
      SELECT b.notice_id FROM account_notices b WHERE b.user_id = owner_id LIMIT most));
    GET DIAGNOSTICS n = ROW_COUNT;
    is_more := is_more OR n = most;
    DELETE FROM developer_notices a WHERE a.notice_id = ANY (ARRAY(
      SELECT b.notice_id FROM developer_notices b WHERE b.developer_user_id = owner_id LIMIT most));
    GET DIAGNOSTICS n = ROW_COUNT;
    is_more := is_more OR n = most;
    DELETE FROM event_inbox i WHERE i.user_id = owner_id AND i.event_id = ANY (ARRAY(
      SELECT b.event_id FROM event_inbox b WHERE b.user_id = owner_id LIMIT most));
    GET DIAGNOSTICS n = ROW_COUNT;
    is_more := is_more OR n = most;
    DELETE FROM security_mails m WHERE m.mail_id = ANY (ARRAY(
      SELECT s.mail_id FROM security_mails s WHERE s.recipient = owner_id OR s.recipient = ANY (known) LIMIT most));
    GET DIAGNOSTICS n = ROW_COUNT;
    is_more := is_more OR n = most;
    DELETE FROM organisation_actions a WHERE a.entry_id = ANY (ARRAY(
      SELECT b.entry_id FROM organisation_actions b WHERE b.org_id = owner_id LIMIT most));
    GET DIAGNOSTICS n = ROW_COUNT;
    is_more := is_more OR n = most;
    DELETE FROM favourites f WHERE f.user_id = owner_id AND f.agent_id = ANY (ARRAY(
      SELECT b.agent_id FROM favourites b WHERE b.user_id = owner_id LIMIT most));
    GET DIAGNOSTICS n = ROW_COUNT;
    IF is_more OR n = most THEN RETURN 'rows'; END IF;
    DELETE FROM mails m WHERE m.recipient = owner_id OR m.recipient = ANY (known);
    DELETE FROM mail_settings m WHERE m.user_id = owner_id;
    DELETE FROM rate_limits r WHERE r.key = ANY (ARRAY(SELECT 'mail/' || lower(k) FROM unnest(known) k));
    DELETE FROM agent_audience x WHERE x.owner_id = account_erase_notices.owner_id;
    DELETE FROM agent_access_requests r WHERE r.owner_id = account_erase_notices.owner_id;
    DELETE FROM event_followers f WHERE f.user_id = owner_id;
    RETURN 'deliveries';
  END IF;
  SELECT w.webhook_id INTO hook FROM webhooks w WHERE w.user_id = owner_id ORDER BY w.webhook_id LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  ids := ARRAY(SELECT d.delivery_id FROM webhook_deliveries d WHERE d.endpoint_id = hook AND d.delivery_id > before
               ORDER BY d.delivery_id LIMIT most);
  UPDATE webhook_deliveries d SET payload = NULL, last_error = NULL
   WHERE d.delivery_id = ANY (ids) AND (d.payload IS NOT NULL OR d.last_error IS NOT NULL);
  UPDATE webhook_attempts t SET answer = NULL, error = NULL
   WHERE t.delivery_id = ANY (ids) AND (t.answer IS NOT NULL OR t.error IS NOT NULL);
  IF cardinality(ids) = most THEN RETURN 'deliveries ' || ids[most]; END IF;
  DELETE FROM webhooks w WHERE w.webhook_id = hook;
  RETURN 'deliveries';
END $$;

REVOKE ALL ON FUNCTION account_erase_notices FROM PUBLIC, market_app;
