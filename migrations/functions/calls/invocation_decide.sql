-- Decides about one call. earlier_id names the call that holds the idempotency key. item is that of invocation_accept;
-- its API key is a key of the buyer, or null; a key that was deleted a moment ago gives not_authenticated. The limits of the key that
-- made it hold too. The mandate
-- of the call, if any, is judged by mandate_verdict.
-- An agent's own limit of its calls in flight (max_concurrency of item) is exact: buyers who call such an agent at the
-- same time are counted one after the other. Agents without one are counted without a lock.
-- A job is counted among the calls in flight until its agent has taken it, and then apart (max_jobs_buyer and
-- max_jobs_agent of an item whose agent takes jobs).
-- The price is that of the version, or the one before it until the version's price_effective_at (is_former): this is the one
-- place that prices a call. The least cost of item is by the version's price, former_least_cost_credits by the one before.
-- payer of item: the call of an address that pays by x402: by a payment, whose credits come with the call, or by credits that
-- earlier payments have left. Those wait while a payment of the address is not settled.
-- left_units: for a refusal for lack of credits, the rest of the wallet or of the key's cap, or the most that the key
-- may pay for a call. budget: the cap that refuses, with its window and when that ends. decided_at: when the call is
-- accepted, to the windows of budgets. budget_ids: the budgets that count it. member: who makes the call for an organisation,
-- by the key or grant that the member made, or by a session (member_user_id of item).
-- Outcomes: accepted | attach | replay | already_disputed | idempotency_key_reused | not_authenticated | not_found |
-- concurrency_limited | agent_busy | max_cost_exceeded | credit_cap_exceeded | budget_exceeded | key_price | key_trust |
-- key_agent | org_trust | org_agent | wallet_frozen | payment_open | insufficient_credits | quote_over | quote_used. The three of a key are limits of an API key or an
-- OAuth grant, the two of an org are rules of an organisation. A call by a quote has the version and the price of the quote.
-- A private agent is not_found unless both the buyer and the caller under a mandate may know it.
-- Called by: invocation_admit.
-- Locks: the buyer's wallet; the caller of several calls has locked all of their wallets. Then the advisory lock of an
-- agent with a limit of its own; the caller of several calls has locked those too. Then the quote, then the counter of free calls.
CREATE OR REPLACE FUNCTION invocation_decide(
  item jsonb, OUT outcome text, OUT earlier_id text, OUT price_units bigint, OUT free boolean, OUT developer text,
  OUT version text, OUT left_units bigint, OUT is_former boolean, OUT budget jsonb, OUT decided_at timestamptz,
  OUT budget_ids text[], OUT member text
) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  buyer    text := item ->> 'buyer_user_id';
  agent    text := item ->> 'agent_id';
  key      text := item ->> 'idempotency_key';
  api_key  text := item ->> 'key_id';
  most     integer := (item ->> 'max_concurrency')::integer;
  ceiling  bigint := (item ->> 'max_cost_credits')::bigint * 100;
  least_credits bigint := (item ->> 'least_cost_credits')::bigint;
  earlier  record;
  terms    record;
  standing record;
  all_of_agent  bigint;
  jobs_of_buyer bigint;
  jobs_of_agent bigint;
  limits   api_keys%ROWTYPE;
  parent   api_keys%ROWTYPE;
  judged   record;
  quote    record;
BEGIN
  price_units := 0;
  free := false;
  is_former := false;
  decided_at := now();
  -- The lock and the terms in one statement. Facts that depend on the order of calls are read after it.
  SELECT o.*, a.balance_units AS wallet,
      EXISTS (SELECT FROM budgets b WHERE b.user_id = buyer) AS has_budgets,
      CASE WHEN coalesce(o.trust_score, 0) < r.least_trust THEN 'org_trust'
        WHEN r.only_listed AND NOT EXISTS (SELECT FROM organisation_allowed l
          WHERE l.org_id = buyer AND l.allowed_id IN (agent, o.developer_user_id)) THEN 'org_agent' END AS org_refusal,
      -- The clock may have been set back since; then nothing young is left out.
      (SELECT long_calls_id(least(s.last_value, (extract(epoch FROM now()) * 1000)::bigint - 5000))
        FROM long_calls_since s) AS since_id
    INTO terms FROM accounts a LEFT JOIN (
      SELECT v.pricing_model, v.price_units, v.free_tier_calls, v.version, g.developer_user_id, g.trust_score,
        now() < v.price_effective_at AS is_former, v.former_price
      FROM agents g JOIN agent_versions v ON v.version_id = item ->> 'version_id' AND v.agent_id = g.agent_id
      WHERE g.agent_id = agent AND g.status = 'active'
        AND (g.visibility <> 'private' OR agent_shown_to(g.agent_id, g.developer_user_id, buyer)
          AND agent_shown_to(g.agent_id, g.developer_user_id, coalesce(item #>> '{mandate,caller_user_id}', buyer)))
        AND (g.serving_version_id = v.version_id OR item ? 'quote_id')) o ON true LEFT JOIN organisation_rules r ON r.org_id = buyer
    WHERE a.user_id = buyer AND a.kind = 'wallet' FOR NO KEY UPDATE OF a;
  member := item ->> 'member_user_id';
  IF api_key IS NOT NULL THEN
    SELECT k.* INTO limits FROM api_keys k
      WHERE k.key_id = api_key AND k.user_id = buyer AND k.deleted_at IS NULL;
    IF NOT FOUND THEN outcome := 'not_authenticated'; RETURN; END IF;
    member := limits.created_by;
    IF limits.parent_key_id IS NOT NULL THEN
      SELECT k.* INTO parent FROM api_keys k WHERE k.key_id = limits.parent_key_id AND k.deleted_at IS NULL;
      IF NOT FOUND THEN outcome := 'not_authenticated'; RETURN; END IF;
    END IF;
  END IF;
  IF key IS NOT NULL THEN
    earlier := invocation_earlier(buyer, key, agent, item ->> 'input_sha256', NULL, item ->> 'accept_sha256');
    earlier_id := earlier.earlier_id;
    outcome := earlier.outcome;
    IF earlier_id IS NOT NULL THEN RETURN; END IF;
  END IF;
  IF terms.developer_user_id IS NULL THEN outcome := 'not_found'; RETURN; END IF;
  developer := terms.developer_user_id;
  version := terms.version;
  IF item ? 'quote_id' THEN
    quote := quote_verdict(item, coalesce(item #>> '{mandate,caller_user_id}', buyer));
    outcome := quote.refusal;
    IF outcome IS NOT NULL THEN RETURN; END IF;
    terms.is_former := quote.is_former;
  END IF;
  IF terms.is_former THEN
    is_former := true;
    terms.pricing_model := terms.former_price #>> '{pricing,model}';
    terms.price_units := (terms.former_price ->> 'price_units')::bigint;
    terms.free_tier_calls := (terms.former_price #>> '{pricing,free_tier_calls}')::integer;
    least_credits := coalesce((item ->> 'former_least_cost_credits')::bigint, least_credits);
  END IF;
  outcome := terms.org_refusal;
  IF outcome IS NOT NULL THEN RETURN; END IF;
  IF NOT agent = ANY (limits.only_agents) OR NOT agent = ANY (parent.only_agents) THEN outcome := 'key_agent'; RETURN; END IF;
  IF coalesce(terms.trust_score, 0) < greatest(limits.least_trust, parent.least_trust) THEN outcome := 'key_trust'; RETURN; END IF;

  standing := invocation_standing(buyer, agent, terms.since_id);
  IF standing.of_agent < most THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('agent/' || agent, 0));
    standing := invocation_standing(buyer, agent, terms.since_id);
  END IF;
  all_of_agent := standing.of_agent;
  -- Jobs have places of their own.
  IF standing.of_buyer >= least((item ->> 'max_in_flight_buyer')::integer, (item ->> 'max_in_flight_unpaid')::integer)
     OR standing.of_agent >= (item ->> 'max_in_flight_agent')::integer OR item ? 'max_jobs_buyer' THEN
    SELECT count(*) FILTER (WHERE j.buyer_user_id = buyer), count(*) FILTER (WHERE j.agent_id = agent)
      INTO jobs_of_buyer, jobs_of_agent
      FROM jobs j WHERE j.ended_at IS NULL AND (j.buyer_user_id = buyer OR j.agent_id = agent);
    standing.of_buyer := standing.of_buyer - jobs_of_buyer;
    standing.of_agent := standing.of_agent - jobs_of_agent;
  END IF;
  IF standing.of_buyer >= (item ->> 'max_in_flight_buyer')::integer
     OR standing.of_agent >= (item ->> 'max_in_flight_agent')::integer
     OR jobs_of_buyer >= (item ->> 'max_jobs_buyer')::integer OR jobs_of_agent >= (item ->> 'max_jobs_agent')::integer THEN
    outcome := 'concurrency_limited';
    RETURN;
  END IF;
  IF all_of_agent >= most THEN outcome := 'agent_busy'; RETURN; END IF;

  -- An address that pays by x402 has no free calls, because anyone can make another one.
  IF terms.free_tier_calls > 0 AND NOT item ? 'payer' THEN
    free := free_calls_unused(terms.free_tier_calls, (SELECT f.used FROM free_calls f
      WHERE f.month = free_calls_month() AND f.buyer_user_id = buyer AND f.agent_id = agent FOR NO KEY UPDATE)) > 0;
  END IF;
  -- A call that costs nothing needs a place of unpaid calls, unless the wallet could pay for all calls of the buyer.
  IF (free OR terms.price_units = 0) AND standing.of_buyer >= (item ->> 'max_in_flight_unpaid')::integer
     AND terms.wallet - standing.promised
       < (standing.of_buyer + 1) * greatest(least_credits, 1) * 100 THEN
    outcome := 'concurrency_limited';
    RETURN;
  END IF;
  -- A metered call holds what it may cost at most: its own maximum, or the buyer's ceiling when that is lower.
  price_units := CASE WHEN free THEN 0 WHEN terms.pricing_model = 'per_call' THEN terms.price_units
    ELSE least(terms.price_units, ceiling) END;
  IF NOT free AND greatest(price_units, least_credits * 100) > ceiling THEN
    outcome := 'max_cost_exceeded';
    RETURN;
  END IF;
  IF price_units > least(limits.call_cap_units, parent.call_cap_units) THEN
    outcome := 'key_price';
    left_units := least(limits.call_cap_units, parent.call_cap_units);
    RETURN;
  END IF;
  IF price_units > 0 AND (limits.credit_cap_units IS NOT NULL OR parent.credit_cap_units IS NOT NULL OR terms.has_budgets) THEN
    judged := budget_judge(item, terms.has_budgets, price_units, parent.key_id, member);
    outcome := judged.outcome;
    left_units := judged.left_units;
    budget := judged.budget;
    decided_at := judged.decided_at;
    budget_ids := judged.budget_ids;
    IF outcome IS NOT NULL THEN RETURN; END IF;
  END IF;
  -- The credits of a payment that is not settled are for its own call.
  IF item ->> 'payer' = 'credits' AND EXISTS (SELECT FROM x402_payments p WHERE p.user_id = buyer AND p.state = 'held') THEN
    outcome := 'payment_open';
    RETURN;
  END IF;
  left_units := terms.wallet - standing.promised;
  outcome := CASE WHEN standing.frozen THEN 'wallet_frozen'
    WHEN left_units >= price_units THEN 'accepted' ELSE 'insufficient_credits' END;
  IF outcome <> 'insufficient_credits' THEN left_units := NULL; END IF;
END $$;

REVOKE ALL ON FUNCTION invocation_decide FROM PUBLIC, market_app;
