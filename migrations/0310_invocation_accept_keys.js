/**
 * Calls by API keys: the row names the key, and invocation_accept holds its credit cap (contract, "Accounts, sessions,
 * keys"). What a key has spent is counted when a call succeeds; what its calls in flight may cost at most is summed
 * under the lock of the buyer's wallet, in the statement that reads what was spent: a call that ends meanwhile is in
 * one of the two and never in both or neither. So the cap is exact under any number of parallel calls.
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE invocations ADD COLUMN key_id text;

  -- The last lock of whoever moves a call: key rows are taken after invocation, hold and accounts.
  CREATE FUNCTION api_key_count_spending() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    UPDATE api_keys k SET spent_units = k.spent_units
        + CASE WHEN NEW.status = 'succeeded' THEN NEW.charged_units ELSE -OLD.charged_units END
      WHERE k.key_id = NEW.key_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER invocations_key_spending AFTER UPDATE OF status ON invocations FOR EACH ROW
    WHEN (NEW.key_id IS NOT NULL AND NEW.status <> OLD.status AND 'succeeded' IN (NEW.status, OLD.status))
    EXECUTE FUNCTION api_key_count_spending();

  CREATE OR REPLACE FUNCTION invocation_accept(items jsonb)
  RETURNS TABLE (ord integer, outcome text, invocation_id text, price_units bigint, free boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    item     record;
    verdict  record;
  BEGIN
    PERFORM 1 FROM accounts a
      WHERE a.kind = 'wallet' AND a.user_id IN (SELECT i ->> 'buyer_user_id' FROM jsonb_array_elements(items) i)
      ORDER BY a.account_id FOR NO KEY UPDATE;
    FOR item IN
      SELECT r.*, n::integer AS nth FROM ROWS FROM (jsonb_to_recordset(items) AS (
        invocation_id text, buyer_user_id text, agent_id text, version_id text, surface text,
        max_cost_credits integer, least_cost_credits integer, idempotency_key text, input_sha256 text, owner text,
        trace_id text, max_in_flight_buyer integer, max_in_flight_agent integer, key_id text)) WITH ORDINALITY AS r(
        invocation_id, buyer_user_id, agent_id, version_id, surface, max_cost_credits, least_cost_credits,
        idempotency_key, input_sha256, owner, trace_id, max_in_flight_buyer, max_in_flight_agent, key_id, n)
    LOOP
      SELECT * INTO verdict FROM invocation_judge(
        item.buyer_user_id, item.agent_id, item.version_id, item.max_cost_credits, item.least_cost_credits,
        item.idempotency_key, item.input_sha256, item.max_in_flight_buyer, item.max_in_flight_agent, item.key_id);
      IF verdict.outcome = 'accepted' THEN
        INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version,
          surface, status, price_units, free, free_month, max_cost_credits, idempotency_key, input_sha256, owner,
          trace_id, key_id)
        SELECT item.invocation_id, item.buyer_user_id, g.developer_user_id, v.agent_id, v.version_id, v.version,
          item.surface, 'pending', verdict.price_units, verdict.free,
          CASE WHEN verdict.free THEN date_trunc('month', now() AT TIME ZONE 'UTC')::date END,
          item.max_cost_credits, item.idempotency_key, item.input_sha256, item.owner, item.trace_id, item.key_id
        FROM agent_versions v JOIN agents g USING (agent_id) WHERE v.version_id = item.version_id;
      END IF;
      ord := item.nth;
      outcome := verdict.outcome;
      invocation_id := coalesce(verdict.earlier_id, item.invocation_id);
      price_units := verdict.price_units;
      free := verdict.free;
      RETURN NEXT;
    END LOOP;
  END $$;

  DROP FUNCTION invocation_judge;

  -- The verdict on one call, under the lock of its buyer's wallet. earlier_id names the call that holds the key.
  -- api_key is a key of the buyer, or null; one that was deleted a moment ago is not_authenticated.
  CREATE FUNCTION invocation_judge(
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
    SELECT a.balance_units INTO wallet FROM accounts a WHERE a.user_id = buyer AND a.kind = 'wallet';
    outcome := CASE WHEN wallet - now_used.promised >= price_units THEN 'accepted' ELSE 'insufficient_credits' END;
  END $$;

  REVOKE ALL ON FUNCTION invocation_judge, api_key_count_spending FROM PUBLIC;
`);

exports.down = async (knex) => {
  await knex.raw(`
    DROP TRIGGER invocations_key_spending ON invocations;
    DROP FUNCTION api_key_count_spending, invocation_accept, invocation_judge;
    ALTER TABLE invocations DROP COLUMN key_id;
  `);
  await require('./0301_invocation_accept').up(knex);
};
