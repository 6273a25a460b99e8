-- Decides about one call. earlier_id names the call that holds the idempotency key. api_key is a key of the buyer, or
-- null; a key that was deleted a moment ago gives not_authenticated.
-- left_units: of a refusal for want of credits, what is left of the wallet or of the key's cap.
-- Outcomes: accepted | attach | replay | already_disputed | idempotency_key_reused | not_authenticated | not_found |
-- concurrency_limited | max_cost_exceeded | credit_cap_exceeded | wallet_frozen | insufficient_credits.
-- Called by: invocation_accept.
-- Locks: none of its own; the caller has locked the buyer's wallet.
CREATE OR REPLACE FUNCTION invocation_judge(
  buyer text, agent text, wanted_version text, max_cost_credits integer, least_cost_credits integer, key text,
  input_hash text, max_in_flight_buyer integer, max_in_flight_agent integer, api_key text,
  OUT outcome text, OUT earlier_id text, OUT price_units bigint, OUT free boolean,
  OUT left_units bigint
) LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  terms     record;
  now_used  record;
  key_cap   bigint;
  wallet    bigint;
  in_flight integer;
BEGIN
  price_units := 0;
  free := false;
  IF api_key IS NOT NULL THEN
    SELECT k.credit_cap_units INTO key_cap FROM api_keys k
      WHERE k.key_id = api_key AND k.user_id = buyer AND k.deleted_at IS NULL;
    IF NOT FOUND THEN outcome := 'not_authenticated'; RETURN; END IF;
  END IF;
  -- The mandate of the call, if any, is judged by mandate_verdict.
  SELECT e.earlier_id, e.outcome INTO earlier_id, outcome
    FROM invocation_earlier(buyer, key, agent, input_hash, NULL) e;
  IF earlier_id IS NOT NULL THEN RETURN; END IF;
  SELECT v.pricing_model, v.price_units, v.free_tier_calls INTO terms
    FROM agent_versions v JOIN agents g USING (agent_id)
    WHERE v.version_id = wanted_version AND v.agent_id = agent AND g.status = 'active'
      AND g.serving_version_id = v.version_id;
  IF NOT FOUND THEN outcome := 'not_found'; RETURN; END IF;

  SELECT count(*) AS calls, coalesce(sum(i.price_units) FILTER (WHERE i.status = 'pending'), 0) AS promised,
      coalesce(sum(i.price_units) FILTER (WHERE i.key_id = api_key), 0) AS key_promised,
      (SELECT k.spent_units FROM api_keys k WHERE k.key_id = api_key) AS key_spent
    INTO now_used FROM invocations i WHERE i.buyer_user_id = buyer AND i.status IN ('pending', 'running');
  IF now_used.calls >= max_in_flight_buyer THEN outcome := 'concurrency_limited'; RETURN; END IF;
  SELECT count(*) INTO in_flight FROM invocations i
    WHERE i.agent_id = agent AND i.status IN ('pending', 'running');
  IF in_flight >= max_in_flight_agent THEN outcome := 'concurrency_limited'; RETURN; END IF;

  free := terms.free_tier_calls > coalesce((SELECT f.used FROM free_calls f
    WHERE f.month = free_calls_month() AND f.buyer_user_id = buyer AND f.agent_id = agent), 0);
  -- A metered call holds what it may cost at most: its own maximum, or the buyer's ceiling when that is lower.
  price_units := CASE WHEN free THEN 0 WHEN terms.pricing_model = 'per_call' THEN terms.price_units
    ELSE least(terms.price_units, max_cost_credits * 100::bigint) END;
  IF NOT free AND greatest(price_units, least_cost_credits * 100::bigint) > max_cost_credits * 100::bigint THEN
    outcome := 'max_cost_exceeded';
    RETURN;
  END IF;
  IF now_used.key_spent + now_used.key_promised + price_units > key_cap THEN
    outcome := 'credit_cap_exceeded';
    left_units := key_cap - now_used.key_spent - now_used.key_promised;
    RETURN;
  END IF;
  SELECT a.balance_units INTO wallet FROM accounts a WHERE a.user_id = buyer AND a.kind = 'wallet';
  outcome := CASE WHEN EXISTS (SELECT FROM frozen_wallets f WHERE f.user_id = buyer) THEN 'wallet_frozen'
    WHEN wallet - now_used.promised >= price_units THEN 'accepted' ELSE 'insufficient_credits' END;
  IF outcome = 'insufficient_credits' THEN left_units := wallet - now_used.promised; END IF;
END $$;

REVOKE ALL ON FUNCTION invocation_judge FROM PUBLIC, market_app;
