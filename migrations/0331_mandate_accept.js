/**
 * invocation_accept with mandates (0330): the item names the mandate, whose issuer is the buyer, and the reservation is
 * made by the row of the call itself, in the statement that accepts it. Under the lock of the issuer's wallet, so that
 * a budget is exact under any number of parallel calls. What a mandate forbids comes before what the wallet lacks.
 */
const JUDGE = `IF item.mandate IS NOT NULL THEN
        outcome := mandate_verdict(verdict.outcome, verdict.earlier_id, item.buyer_user_id, item.mandate,
          verdict.price_units, item.idempotency_key);
      END IF;`;
const USE = `IF item.mandate IS NOT NULL THEN
          PERFORM mandate_use(item.buyer_user_id, item.mandate, item.invocation_id);
        END IF;`;
const NAMES = `, item.mandate -> 'levels' -> -1 ->> 'mandate_id', item.mandate ->> 'caller_user_id'`;

/** The function of 0310, or the same with mandates. */
const accept = (mandates) => `
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
        trace_id text, max_in_flight_buyer integer, max_in_flight_agent integer, key_id text${mandates ? ', mandate jsonb' : ''})) WITH ORDINALITY AS r(
        invocation_id, buyer_user_id, agent_id, version_id, surface, max_cost_credits, least_cost_credits,
        idempotency_key, input_sha256, owner, trace_id, max_in_flight_buyer, max_in_flight_agent, key_id${mandates ? ', mandate' : ''}, n)
    LOOP
      SELECT * INTO verdict FROM invocation_judge(
        item.buyer_user_id, item.agent_id, item.version_id, item.max_cost_credits, item.least_cost_credits,
        item.idempotency_key, item.input_sha256, item.max_in_flight_buyer, item.max_in_flight_agent, item.key_id);
      outcome := verdict.outcome;
      ${mandates ? JUDGE : ''}
      IF outcome = 'accepted' THEN
        ${mandates ? USE : ''}
        INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version,
          surface, status, price_units, free, free_month, max_cost_credits, idempotency_key, input_sha256, owner,
          trace_id, key_id${mandates ? ', mandate_id, caller_user_id' : ''})
        SELECT item.invocation_id, item.buyer_user_id, g.developer_user_id, v.agent_id, v.version_id, v.version,
          item.surface, 'pending', verdict.price_units, verdict.free,
          CASE WHEN verdict.free THEN date_trunc('month', now() AT TIME ZONE 'UTC')::date END,
          item.max_cost_credits, item.idempotency_key, item.input_sha256, item.owner, item.trace_id, item.key_id
          ${mandates ? NAMES : ''}
        FROM agent_versions v JOIN agents g USING (agent_id) WHERE v.version_id = item.version_id;
      END IF;
      ord := item.nth;
      invocation_id := coalesce(verdict.earlier_id, item.invocation_id);
      price_units := verdict.price_units;
      free := verdict.free;
      RETURN NEXT;
    END LOOP;
  END $$;
`;

const LOCK = `PERFORM FROM mandates m WHERE (m.issuer_user_id, m.root_jti) IN (
          SELECT u.issuer_user_id, u.root_jti FROM invocations i JOIN mandates u
            ON u.issuer_user_id = i.buyer_user_id AND u.mandate_id = i.mandate_id
          WHERE i.invocation_id = ANY (ids))
        ORDER BY m.issuer_user_id, m.depth, m.mandate_id FOR NO KEY UPDATE;`;

/** The function of 0302, or the same with mandates: roots first, so that batches that move money cannot deadlock. */
const lockBatch = (mandates) => `
  CREATE OR REPLACE FUNCTION invocation_lock_batch(ids text[]) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM invocation_lock(ids);
    IF cardinality(ids) > 1 THEN
      PERFORM ledger_lock_holds(ids);
      ${mandates ? LOCK : ''}
    END IF;
  END $$;
`;
exports.up = (knex) =>
  knex.raw(`
  -- What is left of a verdict under a mandate. An earlier call is joined only by who made it, under the same mandate:
  -- its answer is not for every holder of a mandate of the same issuer.
  CREATE FUNCTION mandate_verdict(
    verdict text, earlier_id text, issuer text, presented jsonb, price bigint, key text
  ) RETURNS text
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    IF verdict IN ('attach', 'replay', 'already_disputed') THEN
      RETURN CASE WHEN EXISTS (SELECT FROM invocations i WHERE i.invocation_id = earlier_id
          AND i.mandate_id = presented -> 'levels' -> -1 ->> 'mandate_id'
          AND i.caller_user_id = presented ->> 'caller_user_id') THEN verdict ELSE 'idempotency_key_reused' END;
    ELSIF verdict IN ('accepted', 'insufficient_credits', 'credit_cap_exceeded') THEN
      RETURN coalesce(mandate_judge(issuer, presented, price, key), verdict);
    END IF;
    RETURN verdict;
  END $$;
  ${accept(true)}
  ${lockBatch(true)}
  REVOKE ALL ON FUNCTION mandate_verdict FROM PUBLIC;
`);

exports.down = (knex) =>
  knex.raw(`
  ${accept(false)}
  ${lockBatch(false)}
  DROP FUNCTION mandate_verdict;
`);
