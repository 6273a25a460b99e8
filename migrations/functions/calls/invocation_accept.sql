-- Accepts or refuses calls, one result per item in order: everything that may refuse a call is decided in this one
-- statement, and a refusal writes nothing. Per buyer the decision is exact under any number of parallel calls: pending
-- rows count as spent, and free slots, keys, mandates and calls in flight are counted under the lock of the wallet.
-- refusal is null for an accepted call; else it names what is left of what the call lacks, and the reason of a mandate.
-- Plans are generic (ADR 0044): every statement finds its rows by key.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: the buyers' wallets in id order, then their counters of free calls, then the mandates of the call, root first.
CREATE OR REPLACE FUNCTION invocation_accept(items jsonb)
RETURNS TABLE (ord integer, outcome text, invocation_id text, price_units bigint, free boolean, refusal jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  item        record;
  verdict     record;
  under       record;
  this_month  date := free_calls_month();
  buyers      text[] := ARRAY(SELECT i ->> 'buyer_user_id' FROM jsonb_array_elements(items) i);
BEGIN
  PERFORM 1 FROM accounts a
    WHERE a.kind = 'wallet' AND a.user_id = ANY (buyers)
    ORDER BY a.account_id FOR NO KEY UPDATE;
  PERFORM 1 FROM free_calls f
    WHERE f.month = this_month AND f.buyer_user_id = ANY (buyers) AND f.agent_id = ANY (
      ARRAY(SELECT i ->> 'agent_id' FROM jsonb_array_elements(items) i))
    ORDER BY f.buyer_user_id, f.agent_id FOR NO KEY UPDATE;
  FOR item IN
    SELECT r.*, n::integer AS nth FROM ROWS FROM (jsonb_to_recordset(items) AS (
      invocation_id text, buyer_user_id text, agent_id text, version_id text, surface text,
      max_cost_credits integer, least_cost_credits integer, idempotency_key text, input_sha256 text, owner text,
      trace_id text, max_in_flight_buyer integer, max_in_flight_agent integer, key_id text,
      mandate jsonb)) WITH ORDINALITY AS r(
      invocation_id, buyer_user_id, agent_id, version_id, surface, max_cost_credits, least_cost_credits,
      idempotency_key, input_sha256, owner, trace_id, max_in_flight_buyer, max_in_flight_agent, key_id, mandate, n)
  LOOP
    SELECT * INTO verdict FROM invocation_judge(
      item.buyer_user_id, item.agent_id, item.version_id, item.max_cost_credits, item.least_cost_credits,
      item.idempotency_key, item.input_sha256, item.max_in_flight_buyer, item.max_in_flight_agent, item.key_id);
    outcome := verdict.outcome;
    refusal := CASE WHEN verdict.left_units IS NOT NULL THEN jsonb_build_object('left_units', verdict.left_units) END;
    IF item.mandate IS NOT NULL THEN
      SELECT * INTO under FROM mandate_verdict(verdict.outcome, verdict.earlier_id, item.buyer_user_id, item.mandate,
        verdict.price_units, item.idempotency_key);
      outcome := under.outcome;
      IF under.reason IS NOT NULL THEN
        refusal := jsonb_build_object('reason', under.reason, 'left_units', under.left_units);
      END IF;
    END IF;
    IF outcome = 'accepted' THEN
      IF item.mandate IS NOT NULL THEN
        PERFORM mandate_use(item.buyer_user_id, item.mandate, item.invocation_id);
      END IF;
      INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version,
        surface, status, price_units, free, free_month, max_cost_credits, idempotency_key, input_sha256, owner,
        trace_id, key_id, mandate_id, caller_user_id)
      SELECT item.invocation_id, item.buyer_user_id, g.developer_user_id, v.agent_id, v.version_id, v.version,
        item.surface, 'pending', verdict.price_units, verdict.free,
        CASE WHEN verdict.free THEN this_month END,
        item.max_cost_credits, item.idempotency_key, item.input_sha256, item.owner, item.trace_id, item.key_id,
        item.mandate -> 'levels' -> -1 ->> 'mandate_id', item.mandate ->> 'caller_user_id'
      FROM agent_versions v JOIN agents g USING (agent_id) WHERE v.version_id = item.version_id;
      IF verdict.free THEN
        INSERT INTO free_calls AS f (month, buyer_user_id, agent_id, used)
        VALUES (this_month, item.buyer_user_id, item.agent_id, 1)
        ON CONFLICT (month, buyer_user_id, agent_id) DO UPDATE SET used = f.used + 1;
      END IF;
    END IF;
    ord := item.nth;
    invocation_id := coalesce(verdict.earlier_id, item.invocation_id);
    price_units := verdict.price_units;
    free := verdict.free;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION invocation_accept FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_accept TO market_app;
