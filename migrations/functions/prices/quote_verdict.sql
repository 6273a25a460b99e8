-- Whether a call may be accepted by its quote: null if it may, with the price that the quote offers; else quote_over (it has
-- expired, or is not of this account, agent, version and input) or quote_used (another call that did not fail has it).
-- Called by: invocation_decide.
-- Locks: the quote, after the wallet of the buyer.
CREATE OR REPLACE FUNCTION quote_verdict(item jsonb, caller text, OUT refusal text, OUT is_former boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE quote price_quotes%ROWTYPE;
BEGIN
  SELECT q.* INTO quote FROM price_quotes q
   WHERE q.quote_id = item ->> 'quote_id' AND q.user_id = caller AND q.agent_id = item ->> 'agent_id'
     AND q.version_id = item ->> 'version_id' AND q.input_sha256 = coalesce(item ->> 'quoted_sha256', item ->> 'input_sha256') FOR NO KEY UPDATE;
  is_former := quote.is_former;
  IF NOT coalesce(now() < quote.expires_at, false) THEN
    refusal := 'quote_over';
  ELSIF EXISTS (SELECT FROM quoted_calls c JOIN invocations i ON i.invocation_id = c.invocation_id
       WHERE c.quote_id = quote.quote_id AND i.status <> 'failed') THEN
    refusal := 'quote_used';
  END IF;
END $$;

REVOKE ALL ON FUNCTION quote_verdict FROM PUBLIC, market_app;
