-- Decides whether an agent kept its warranty in a UTC month, once. A month is judged by the warranty of the version that
-- answered its first paid call, so that no later version escapes it. The figures are those of paid calls of buyers who are
-- not related to the developer (counted_unit): errors are the agent's alone (call_fault), and a request that the agent
-- refuses is none. A broken month takes the remedy from the bond, at most what is there, by a slash whose buyers are those
-- of the month; the developer has the time of a slash to contest it.
-- It reads the calls of one agent and one month, by an index.
-- Outcomes: kept | broken | few_calls | none (no warranty).
-- Called by: src/stores/bonds/warranties.ts.
-- Locks: the agent and the month, then the bond, then bond and slash_hold accounts in id order.
CREATE OR REPLACE FUNCTION warranty_decide(agent text, of_month date, new_slash text, counter_ms bigint, top_up_ms bigint,
  trace text, as_of timestamptz, OUT outcome text, OUT slash text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  first_id  text := long_calls_id((extract(epoch FROM of_month::timestamp AT TIME ZONE 'UTC') * 1000)::bigint);
  end_id    text := long_calls_id((extract(epoch FROM (of_month + interval '1 month') AT TIME ZONE 'UTC') * 1000)::bigint);
  developer text := (SELECT a.developer_user_id FROM agents a WHERE a.agent_id = agent);
  terms     jsonb;
  found     record;
  figures   jsonb;
  buyers    text[];
  weights   bigint[];
  asked     bigint;
  taken     bigint;
  made      slashes%ROWTYPE;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('warranty/' || agent || '/' || of_month, 0));
  SELECT m.outcome, m.slash_id INTO outcome, slash FROM warranty_months m WHERE m.agent_id = agent AND m.month = of_month;
  IF FOUND THEN RETURN; END IF;
  SELECT v.warranty INTO terms FROM (SELECT i.version_id FROM all_invocations i WHERE i.agent_id = agent
      AND i.invocation_id >= first_id AND i.invocation_id < end_id AND i.price_units > 0 ORDER BY i.invocation_id LIMIT 1) f
    JOIN agent_versions v USING (version_id);
  IF terms IS NULL THEN outcome := 'none'; RETURN; END IF;
  WITH month_calls AS MATERIALIZED (
    SELECT i.invocation_id, i.buyer_user_id, i.status, nullif(i.error_code, '') AS code, i.duration_ms
      FROM all_invocations i WHERE i.agent_id = agent AND i.invocation_id >= first_id AND i.invocation_id < end_id
       AND i.price_units > 0 AND i.status IN ('succeeded', 'failed', 'disputed')
  ), month_buyers AS MATERIALIZED (
    SELECT b.buyer_user_id, counted_unit(b.buyer_user_id, developer) AS unit
      FROM (SELECT DISTINCT c.buyer_user_id FROM month_calls c) b
  ), counted AS (
    SELECT c.*, b.unit, c.status <> 'succeeded' AS has_failed FROM month_calls c JOIN month_buyers b USING (buyer_user_id)
      LEFT JOIN call_failures f ON f.invocation_id = c.invocation_id
     WHERE b.unit IS NOT NULL AND (c.status = 'succeeded' OR coalesce(call_fault(c.code), 'agent') = 'agent'
       AND NOT (c.code = 'agent_error' AND coalesce(refuses_input(f.http_status::integer), false)))
  ), charges AS (
    SELECT c.buyer_user_id, sum(w.left_units)::bigint AS units FROM counted c CROSS JOIN LATERAL (
        SELECT CASE WHEN e.clawed_back_at IS NOT NULL THEN 0
          ELSE greatest(0, e.gross_units - slash_refunded(e.invocation_id) - coalesce(e.returned_units, 0)) END AS left_units
          FROM all_earnings e WHERE e.invocation_id = c.invocation_id) w
     GROUP BY 1 HAVING sum(w.left_units) > 0
  )
  SELECT count(*) AS calls, count(*) FILTER (WHERE has_failed) AS failed,
      count(*) FILTER (WHERE has_failed AND code IN ('agent_unreachable', 'agent_timeout')) AS unreachable,
      count(DISTINCT unit) AS buyers,
      percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE NOT has_failed) AS p95_ms,
      (SELECT array_agg(h.buyer_user_id ORDER BY h.buyer_user_id) FROM charges h) AS ids,
      (SELECT array_agg(h.units ORDER BY h.buyer_user_id) FROM charges h) AS units
    INTO found FROM counted;
  buyers := found.ids;
  weights := found.units;
  figures := jsonb_build_object('calls', found.calls, 'buyers', found.buyers, 'failed', found.failed,
    'success_rate', round((found.calls - found.failed)::numeric / greatest(found.calls, 1), 4),
    'uptime', round((found.calls - found.unreachable)::numeric / greatest(found.calls, 1), 4), 'p95_ms', found.p95_ms);
  -- The shares are compared as exact fractions.
  outcome := CASE WHEN found.calls < 100 OR found.buyers < 10 THEN 'few_calls'
    WHEN found.calls - found.failed < (terms ->> 'success_rate')::numeric * found.calls
      OR found.calls - found.unreachable < (terms ->> 'uptime')::numeric * found.calls
      OR found.p95_ms > (terms ->> 'p95_ms')::numeric THEN 'broken' ELSE 'kept' END;
  IF outcome = 'broken' THEN
    asked := div((SELECT sum(w) FROM unnest(weights) w) * (terms ->> 'remedy_percent')::integer, 100);
    PERFORM bond_lock(developer);
    PERFORM ledger_lock(ARRAY[ledger_account(developer, 'bond'), ledger_account(developer, 'slash_hold')]);
    taken := least(asked, bond_balance(developer, 'bond'));
    figures := figures || jsonb_build_object('remedy_credits', event_credits(coalesce(asked, 0)));
    IF taken > 0 THEN slash := new_slash; END IF;
  END IF;
  IF slash IS NOT NULL THEN
    INSERT INTO slashes (slash_id, developer_user_id, agent_id, requested_units, amount_units, refund, explanation,
      evidence, applied_by, applied_at, counter_by, top_up_ms, trace_id)
    VALUES (new_slash, developer, agent, asked, taken, 'warranty',
      'The warranty of ' || agent || ' was broken in ' || to_char(of_month, 'YYYY-MM') || '.',
      jsonb_build_object('month', to_char(of_month, 'YYYY-MM'), 'warranty', terms, 'figures', figures), 'warranty', as_of,
      as_of + counter_ms * interval '1 millisecond', warranty_decide.top_up_ms, trace) RETURNING * INTO made;
    INSERT INTO slash_buyers (slash_id, buyer_user_id, weight_units)
      SELECT new_slash, b, w FROM unnest(buyers, weights) u(b, w);
    PERFORM ledger_post('slash', 'slash/' || new_slash || '/apply', NULL, agent, 'Remedy of a broken warranty of ' || agent,
      trace, ARRAY[ledger_account(developer, 'bond'), ledger_account(developer, 'slash_hold')], ARRAY['slash', 'slash'],
      ARRAY[-taken, taken]);
    PERFORM slash_event(made, 'bond.slashed', 'slash_applied', as_of);
  END IF;
  INSERT INTO warranty_months (agent_id, month, outcome, terms, figures, slash_id, decided_at)
    VALUES (agent, of_month, outcome, terms, figures, slash, as_of);
  IF outcome = 'broken' THEN
    PERFORM event_record('warranty.broken', jsonb_build_object('agent_id', agent, 'month', to_char(of_month, 'YYYY-MM'),
      'warranty', terms, 'figures', figures, 'slash_id', slash, 'remedy_credits', event_credits(coalesce(taken, 0)),
      'decided_at', event_time(as_of)), array_append(coalesce(buyers, '{}'), developer), agent);
  END IF;
END $$;

REVOKE ALL ON FUNCTION warranty_decide FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION warranty_decide TO market_app;
