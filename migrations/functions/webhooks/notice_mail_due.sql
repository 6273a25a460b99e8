-- When the mail of a new notice is due. The first five of an account within a day are due at once. The others wait for one
-- mail a day, which has all of them.
-- Called by: notice_record.
-- Locks: none.
CREATE OR REPLACE FUNCTION notice_mail_due(account text) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
  SELECT CASE
    WHEN (SELECT count(*) FROM (SELECT FROM notice_mails n WHERE n.user_id = account AND NOT n.is_reminder
            AND n.made_at > now() - interval '24 hours' LIMIT 5) recent) < 5 THEN now()
    ELSE coalesce((SELECT n.due_at FROM notice_mails n WHERE n.user_id = account AND n.due_at > now()
            AND n.attempts = 0 AND NOT n.is_reminder ORDER BY n.due_at LIMIT 1), now() + interval '24 hours')
  END
$$;

REVOKE ALL ON FUNCTION notice_mail_due FROM PUBLIC, market_app;
