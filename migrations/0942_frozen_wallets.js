/**
 * What operators may do to accounts: freeze a wallet, so that it pays for no call and nothing is withdrawn from the
 * account. Calls that were accepted before end as they would; money still comes in. A row is a wallet that is frozen now;
 * who froze it, when and why stands in operator_actions, as does who thawed it. Freezing locks the wallet first, as
 * accepting does: what is accepted after it is refused.
 */
const PLAIN = `SELECT a.balance_units INTO wallet FROM accounts a WHERE a.user_id = buyer AND a.kind = 'wallet';
    outcome := CASE WHEN wallet - now_used.promised >= price_units THEN 'accepted' ELSE 'insufficient_credits' END;`;
const FROZEN = `SELECT a.balance_units INTO wallet FROM accounts a WHERE a.user_id = buyer AND a.kind = 'wallet';
    outcome := CASE WHEN EXISTS (SELECT FROM frozen_wallets f WHERE f.user_id = buyer) THEN 'wallet_frozen'
      WHEN wallet - now_used.promised >= price_units THEN 'accepted' ELSE 'insufficient_credits' END;`;

/** The function of 0310, or the same with frozen wallets. */
const judge = (frozen) => `
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
        AND v.state IN ('live', 'superseded');
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
    ${frozen ? FROZEN : PLAIN}
  END $$;
`;

exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE frozen_wallets (
    user_id    text PRIMARY KEY REFERENCES users,
    frozen_at  timestamptz NOT NULL DEFAULT now()
  );

  CREATE FUNCTION wallet_is_frozen(owner_user_id text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM frozen_wallets f WHERE f.user_id = owner_user_id)
  $$;

  -- Whether anything changed.
  CREATE FUNCTION wallet_set_frozen(owner_user_id text, to_frozen boolean) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM ledger_lock(ARRAY[ledger_account(owner_user_id, 'wallet')]);
    IF to_frozen THEN
      INSERT INTO frozen_wallets (user_id) VALUES (owner_user_id) ON CONFLICT DO NOTHING;
    ELSE
      DELETE FROM frozen_wallets f WHERE f.user_id = owner_user_id;
    END IF;
    RETURN FOUND;
  END $$;
  ${judge(true)}
  REVOKE ALL ON FUNCTION wallet_is_frozen, wallet_set_frozen FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION wallet_is_frozen, wallet_set_frozen TO market_app;
  GRANT SELECT ON frozen_wallets TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  ${judge(false)}
  DROP FUNCTION wallet_set_frozen, wallet_is_frozen;
  DROP TABLE frozen_wallets;
`);
