/**
 * Less for each call to ask (ADR 0044): the version that a call was checked with must be the one that serves its agent
 * when it is accepted, so that nobody need ask before; and a hold that is forwarded at once is one statement.
 */
const LIVE = `v.state IN ('live', 'superseded')`;
const SERVING = `g.serving_version_id = v.version_id`;

/** The function of 0942, or the same with the version that serves. */
const judge = (serving) => `
  CREATE OR REPLACE FUNCTION invocation_judge(
    buyer text, agent text, wanted_version text, max_cost_credits integer, least_cost_credits integer, key text,
    input_hash text, max_in_flight_buyer integer, max_in_flight_agent integer, api_key text,
    OUT outcome text, OUT earlier_id text, OUT price_units bigint, OUT free boolean
  ) LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    earlier   record;
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
    IF key IS NOT NULL THEN
      SELECT i.invocation_id, i.agent_id, i.input_sha256, i.status INTO earlier FROM invocations i
        WHERE i.buyer_user_id = buyer AND i.idempotency_key = key AND i.status <> 'failed';
      IF FOUND THEN
        earlier_id := earlier.invocation_id;
        outcome := CASE
          WHEN earlier.agent_id <> agent OR earlier.input_sha256 <> input_hash THEN 'idempotency_key_reused'
          WHEN earlier.status = 'disputed' THEN 'already_disputed'
          WHEN earlier.status = 'succeeded' THEN 'replay'
          ELSE 'attach' END;
        RETURN;
      END IF;
    END IF;
    SELECT v.pricing_model, v.price_units, v.free_tier_calls INTO terms FROM agent_versions v JOIN agents g USING (agent_id)
      WHERE v.version_id = wanted_version AND v.agent_id = agent AND g.status = 'active'
        AND ${serving ? SERVING : LIVE};
    IF NOT FOUND THEN outcome := 'not_found'; RETURN; END IF;

    SELECT count(*) AS calls, coalesce(sum(i.price_units) FILTER (WHERE i.status = 'pending'), 0) AS promised,
        coalesce(sum(i.price_units) FILTER (WHERE i.key_id = api_key), 0) AS key_promised,
        (SELECT k.spent_units FROM api_keys k WHERE k.key_id = api_key) AS key_spent
      INTO now_used FROM invocations i WHERE i.buyer_user_id = buyer AND i.status IN ('pending', 'running');
    IF now_used.calls >= max_in_flight_buyer THEN outcome := 'concurrency_limited'; RETURN; END IF;
    SELECT count(*) INTO in_flight FROM invocations i
      WHERE i.agent_id = agent AND i.status IN ('pending', 'running');
    IF in_flight >= max_in_flight_agent THEN outcome := 'concurrency_limited'; RETURN; END IF;

    free := terms.free_tier_calls > 0 AND terms.free_tier_calls > (SELECT count(*) FROM invocations i
      WHERE i.buyer_user_id = buyer AND i.agent_id = agent AND i.free AND i.status <> 'failed'
        AND i.free_month = date_trunc('month', now() AT TIME ZONE 'UTC')::date);
    -- A metered call holds what it may cost at most: its own maximum, or the buyer's ceiling when that is lower.
    price_units := CASE WHEN free THEN 0 WHEN terms.pricing_model = 'per_call' THEN terms.price_units
      ELSE least(terms.price_units, max_cost_credits * 100::bigint) END;
    IF NOT free AND greatest(price_units, least_cost_credits * 100::bigint) > max_cost_credits * 100::bigint THEN
      outcome := 'max_cost_exceeded';
      RETURN;
    END IF;
    IF now_used.key_spent + now_used.key_promised + price_units > key_cap THEN
      outcome := 'credit_cap_exceeded';
      RETURN;
    END IF;
    SELECT a.balance_units INTO wallet FROM accounts a WHERE a.user_id = buyer AND a.kind = 'wallet';
    outcome := CASE WHEN EXISTS (SELECT FROM frozen_wallets f WHERE f.user_id = buyer) THEN 'wallet_frozen'
      WHEN wallet - now_used.promised >= price_units THEN 'accepted' ELSE 'insufficient_credits' END;
  END $$;
`;

exports.up = (knex) =>
  knex.raw(`
  ${judge(true)}
  -- invocation_hold and, when that holds, invocation_forward, in one transaction: for the process that has the call's
  -- body and forwards it next. permit: null when nothing is held.
  CREATE FUNCTION invocation_hold_forward(id text, lease_ms integer)
  RETURNS TABLE (outcome text, status text, error_code text, permit text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    SELECT h.outcome, h.status, h.error_code INTO STRICT outcome, status, error_code
      FROM invocation_hold(ARRAY[id], lease_ms) h;
    IF outcome = 'held' THEN
      SELECT f.outcome INTO STRICT permit FROM invocation_forward(id, lease_ms, false) f;
    END IF;
    RETURN NEXT;
  END $$;

  REVOKE ALL ON FUNCTION invocation_hold_forward FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION invocation_hold_forward TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  ${judge(false)}
  DROP FUNCTION invocation_hold_forward;
`);
