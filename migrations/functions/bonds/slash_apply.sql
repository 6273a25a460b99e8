-- Applies a slash: moves at most the bond into slash_hold and writes the slash with its calls. to_whom: affected (the
-- buyers of the calls; then at most what is left of the charges) | none (the platform keeps it).
-- Outcomes: applied | no_agent | unknown_calls (`unknown`: those that are no calls of the agent) | nothing_charged |
-- no_bond.
-- Called by: slash_order.
-- Locks: the bond, then bond and slash_hold accounts in id order.
CREATE OR REPLACE FUNCTION slash_apply(id text, operator text, agent text, units bigint, to_whom text, reason text, proof jsonb,
  calls text[],
  counter_ms bigint, top_up_ms bigint, trace text, as_of timestamptz, OUT outcome text, OUT unknown text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  developer text;
  bond_id bigint;
  hold_id bigint;
  taken bigint;
  chargeable bigint;
  slash slashes%ROWTYPE;
BEGIN
  SELECT a.developer_user_id INTO developer FROM agents a WHERE a.agent_id = agent;
  IF NOT FOUND THEN
    outcome := 'no_agent';
    RETURN;
  END IF;
  unknown := ARRAY(SELECT c FROM unnest(calls) c WHERE NOT EXISTS
    (SELECT FROM all_invocations i WHERE i.invocation_id = c AND i.agent_id = agent));
  IF cardinality(unknown) > 0 THEN
    outcome := 'unknown_calls';
    RETURN;
  END IF;
  PERFORM bond_lock(developer);
  bond_id := ledger_account(developer, 'bond');
  hold_id := ledger_account(developer, 'slash_hold');
  PERFORM ledger_lock(ARRAY[bond_id, hold_id]);
  IF to_whom = 'affected' THEN
    SELECT coalesce(sum(w.units), 0) INTO chargeable FROM slash_weights(calls) w;
  END IF;
  taken := least(units, bond_balance(developer, 'bond'), chargeable);
  outcome := CASE WHEN chargeable = 0 THEN 'nothing_charged' WHEN taken = 0 THEN 'no_bond' ELSE 'applied' END;
  IF outcome <> 'applied' THEN RETURN; END IF;
  INSERT INTO slashes (slash_id, developer_user_id, agent_id, requested_units, amount_units, refund, explanation,
    evidence, applied_by, applied_at, counter_by, top_up_ms, trace_id)
  VALUES (id, developer, agent, units, taken, to_whom, reason, proof, operator, as_of,
    as_of + counter_ms * interval '1 millisecond', slash_apply.top_up_ms, trace) RETURNING * INTO slash;
  INSERT INTO slash_calls (slash_id, invocation_id, buyer_user_id, weight_units)
    SELECT id, i.invocation_id, i.buyer_user_id, coalesce(w.units, 0) FROM all_invocations i
    LEFT JOIN slash_weights(calls) w ON w.invocation = i.invocation_id WHERE i.invocation_id = ANY (calls);
  PERFORM ledger_post('slash', 'slash/' || id || '/apply', NULL, agent, 'Slash over ' || agent, trace,
    ARRAY[bond_id, hold_id], ARRAY['slash', 'slash'], ARRAY[-taken, taken]);
  PERFORM slash_event(slash, 'bond.slashed', 'slash_applied', as_of);
END $$;

REVOKE ALL ON FUNCTION slash_apply FROM PUBLIC, market_app;
