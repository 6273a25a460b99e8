-- Accepts or refuses one call: decides about it, and writes its row with this first status and what its acceptance uses
-- up. A call that begins as running gets its hold with the permit to forward it, for the lease of item (lease_ms); one
-- that begins as pending is held later. A refusal writes nothing; refusal then names what is left of what the call
-- lacks, and the reason of a mandate.
-- Called by: invocation_accept, invocation_accept_permit.
-- Locks: the buyer's wallet, the counter of free calls, the mandates of the call, root first, then the buyer's escrow.
-- Every transaction locks the wallet of a buyer before mandates and escrow, so the order of these two does not matter.
CREATE OR REPLACE FUNCTION invocation_admit(
  item jsonb, first_status text, OUT outcome text, OUT invocation_id text, OUT price_units bigint, OUT free boolean,
  OUT developer text, OUT refusal jsonb, OUT is_former boolean
) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  verdict record;
  under   record;
  hold    holds%ROWTYPE;
  wallet_units bigint;
  buyer   text := item ->> 'buyer_user_id';
  mandate jsonb := nullif(item -> 'mandate', 'null');
BEGIN
  verdict := invocation_decide(item);
  outcome := verdict.outcome;
  invocation_id := coalesce(verdict.earlier_id, item ->> 'invocation_id');
  price_units := verdict.price_units;
  free := verdict.free;
  developer := verdict.developer;
  is_former := verdict.is_former;
  IF verdict.left_units IS NOT NULL THEN
    refusal := jsonb_strip_nulls(jsonb_build_object('left_units', verdict.left_units, 'budget', verdict.budget));
  END IF;
  IF mandate IS NOT NULL THEN
    under := mandate_verdict(outcome, verdict.earlier_id, buyer, mandate, price_units, item ->> 'idempotency_key');
    outcome := under.outcome;
    IF under.reason IS NOT NULL THEN
      refusal := jsonb_build_object('reason', under.reason, 'left_units', under.left_units);
    END IF;
  END IF;
  IF outcome <> 'accepted' THEN RETURN; END IF;
  IF mandate IS NOT NULL THEN
    PERFORM mandate_use(buyer, mandate, invocation_id);
  END IF;
  WITH written AS (
    INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version,
      surface, status, price_units, free, free_month, max_cost_credits, idempotency_key, input_sha256, input_bytes,
      owner, trace_id, key_id, mandate_id, caller_user_id, is_task, invoked_at, metadata, budget_ids, member_user_id)
    VALUES (invocation_id, buyer, developer, item ->> 'agent_id', item ->> 'version_id', verdict.version,
      item ->> 'surface', first_status, price_units, free, CASE WHEN free THEN free_calls_month() END,
      (item ->> 'max_cost_credits')::integer, item ->> 'idempotency_key', item ->> 'input_sha256',
      (item ->> 'input_bytes')::integer, item ->> 'owner', item ->> 'trace_id', item ->> 'key_id',
      mandate -> 'levels' -> -1 ->> 'mandate_id', mandate ->> 'caller_user_id',
      item ->> 'surface' = 'a2a' OR item ? 'is_task', verdict.decided_at, nullif(item -> 'metadata', '{}'),
      verdict.budget_ids, verdict.member))
  INSERT INTO holds AS h (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units,
    lease_until, trace_id, forwarded_at, forward_count, hold_transaction_id)
  SELECT invocation_id, buyer, developer, item ->> 'agent_id', item ->> 'version_id', price_units,
    now() + (item ->> 'lease_ms')::integer * interval '1 millisecond', item ->> 'trace_id', now(), 1,
    CASE WHEN price_units > 0 THEN ledger_new_id('txn') END
  WHERE first_status = 'running' RETURNING h.* INTO hold;
  -- An acceptance that had to wait: the loop that lists long calls may be past the id.
  IF hold.invocation_id < long_calls_id((extract(epoch FROM clock_timestamp()) * 1000)::bigint - 5000) THEN
    INSERT INTO long_calls (invocation_id, buyer_user_id, agent_id)
    VALUES (hold.invocation_id, hold.buyer_user_id, hold.agent_id) ON CONFLICT DO NOTHING;
  END IF;
  IF item ? 'quote_id' THEN
    INSERT INTO quoted_calls (invocation_id, quote_id, is_former) VALUES (invocation_id, item ->> 'quote_id', is_former);
  END IF;
  IF item ? 'accept_sha256' THEN
    INSERT INTO call_acceptances (invocation_id, author_user_id, agent_id, sha256)
    VALUES (invocation_id, coalesce(mandate ->> 'caller_user_id', buyer), item ->> 'agent_id', item ->> 'accept_sha256');
  END IF;
  IF item ? 'metadata' THEN
    INSERT INTO call_tags (buyer_user_id, tag, invocation_id)
    SELECT buyer, t.key || '=' || t.value, invocation_id FROM jsonb_each_text(item -> 'metadata') t;
  END IF;
  IF free THEN
    INSERT INTO free_calls AS f (month, buyer_user_id, agent_id, used)
    VALUES (free_calls_month(), buyer, item ->> 'agent_id', 1)
    ON CONFLICT (month, buyer_user_id, agent_id) DO UPDATE SET used = f.used + 1;
  END IF;
  IF hold.amount_units > 0 THEN wallet_units := ledger_post_step(hold, 'hold'); END IF;
END $$;

REVOKE ALL ON FUNCTION invocation_admit FROM PUBLIC, market_app;
