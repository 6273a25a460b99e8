-- Writes a notice for each account of `audience`, if people should know of the event without asking for it: one about a
-- decision, a case, a payout, the state or the price of an agent, or their wallet. Calls, scores and what people just did themselves
-- make none, and an address that pays by x402 gets none; a dispute that is opened is news for the developer only, and what the developer offers for the buyer only. The changelog of a rubric, up to 10,000 characters
-- that an operator wrote, is not copied. Each notice is mailed, except a verification that ended well, tools that were verified, and a new
-- key or grant, which has a mail of its own; what the account can
-- answer until a deadline is mailed again in the hour that begins a day before it. A notice of an organisation is mailed to
-- the members whose role it concerns.
-- Called by: access_request_noted, account_alerts, api_key_noted, budget_told, event_record, login_noted,
-- offer_declined_noted, payout_waits_noted, tax_form_noted, wallet_freeze_noted, webhook_disabled_noted.
-- Locks: none.
CREATE OR REPLACE FUNCTION notice_record(event_type text, event_data jsonb, audience text[], about_agent text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  deadline timestamptz := CASE event_type WHEN 'dispute.opened' THEN event_data ->> 'respond_by'
    WHEN 'bond.slashed' THEN event_data ->> 'counter_by' WHEN 'slash.finalized' THEN event_data ->> 'top_up_by' END;
  is_mailed boolean := event_type <> ALL (ARRAY['key.created', 'grant.created']) AND (event_type <> 'agent.verification_completed'
    OR coalesce(event_data ->> 'outcome', '') <> ALL (ARRAY['live', 'passed']))
    AND (event_type <> 'agent.tools_changed' OR coalesce(event_data ->> 'state', '') <> 'verified');
BEGIN
  IF event_type NOT IN ('agent.verification_completed', 'agent.delisted', 'agent.relisted', 'agent.tools_changed', 'finding.waived',
      'finding.contest_refused', 'finding.waiver_ended', 'review.written', 'review.answered', 'review.removed', 'dispute.opened', 'dispute.offered', 'dispute.offer_declined', 'dispute.resolved', 'bond.slashed', 'warranty.broken',
      'slash.finalized', 'slash.overturned', 'payout.completed', 'payout.failed', 'payout.waiting', 'rubric.announced', 'price.announced',
      'tax_form.accepted', 'tax_form.rejected', 'wallet.frozen', 'wallet.unfrozen',
      'wallet.low', 'topup.failed', 'budget.reached', 'key.created', 'key.expiring', 'grant.created', 'login.new',
      'webhook.disabled', 'access.requested', 'access.granted', 'access.refused') THEN
    RETURN;
  END IF;
  WITH made AS (
    INSERT INTO account_notices (notice_id, user_id, type, agent_id, data)
      SELECT ledger_new_id('ntc'), u.account, event_type, about_agent, event_data - 'changelog'
        FROM (SELECT DISTINCT account FROM unnest(audience) a(account)
               WHERE NOT EXISTS (SELECT FROM users p WHERE p.user_id = account AND p.kind = 'payer')) u
       WHERE CASE WHEN event_type IN ('dispute.opened', 'dispute.offered') THEN (event_type = 'dispute.opened')
            = (u.account = (SELECT g.developer_user_id FROM agents g WHERE g.agent_id = about_agent)) ELSE true END
      RETURNING notice_id, user_id),
  mailed AS (
    SELECT coalesce(o.user_id, m.user_id) AS user_id, m.notice_id FROM made m LEFT JOIN organisation_members o
      ON o.org_id = m.user_id AND o.role = ANY (CASE WHEN event_type LIKE ANY (ARRAY['wallet.%', 'topup.%', 'budget.%', 'payout.%', 'tax_form.%'])
        THEN ARRAY['owner', 'finance'] WHEN event_type LIKE ANY (ARRAY['key.%', 'grant.%', 'login.%', 'webhook.%'])
        THEN ARRAY['owner', 'admin'] ELSE ARRAY['owner', 'admin', 'developer'] END)
     WHERE o.user_id IS NOT NULL OR NOT EXISTS (SELECT FROM organisations g WHERE g.org_id = m.user_id))
  INSERT INTO notice_mails (user_id, notice_id, is_reminder, due_at)
    SELECT m.user_id, m.notice_id, false, notice_mail_due(m.user_id) FROM mailed m WHERE is_mailed
    UNION ALL
    SELECT m.user_id, m.notice_id, true, date_trunc('hour', deadline - interval '24 hours') FROM mailed m
     WHERE deadline - interval '24 hours' > now();
END $$;

REVOKE ALL ON FUNCTION notice_record FROM PUBLIC, market_app;
