/**
 * The moves of a slash, each with its money in one transaction. Lock order: the slash's row, the developer's bond row,
 * accounts in id order, agents. All take the workflow's time as `as_of`; a repetition changes nothing.
 */
exports.up = (knex) =>
  knex.raw(`
  -- What is left of the charges of calls: nothing of those that a dispute took back, less what slashes have refunded.
  CREATE FUNCTION slash_weights(calls text[]) RETURNS TABLE (invocation text, units bigint)
  LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT e.invocation_id, CASE WHEN e.clawed_back_at IS NOT NULL THEN 0 ELSE greatest(0, e.gross_units - coalesce(
        (SELECT sum(c.refund_units) FROM slash_calls c WHERE c.invocation_id = e.invocation_id), 0)) END::bigint
      FROM earnings e WHERE e.invocation_id = ANY (calls)
  $$;

  -- outcome: applied | no_agent | unknown_calls (unknown: which are no calls of the agent) | nothing_charged | no_bond.
  -- The amount is at most the bond.
  CREATE FUNCTION slash_apply(id text, operator text, agent text, units bigint, reason text, proof jsonb, calls text[],
    counter_ms bigint, top_up_ms bigint, trace text, as_of timestamptz, OUT outcome text, OUT unknown text[])
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    developer text;
    bond_id bigint;
    hold_id bigint;
    taken bigint;
    slash slashes%ROWTYPE;
  BEGIN
    SELECT a.developer_user_id INTO developer FROM agents a WHERE a.agent_id = agent;
    IF NOT FOUND THEN
      outcome := 'no_agent';
      RETURN;
    END IF;
    unknown := ARRAY(SELECT c FROM unnest(calls) c WHERE NOT EXISTS
      (SELECT FROM invocations i WHERE i.invocation_id = c AND i.agent_id = agent));
    IF cardinality(unknown) > 0 THEN
      outcome := 'unknown_calls';
      RETURN;
    END IF;
    PERFORM bond_lock(developer);
    bond_id := ledger_account(developer, 'bond');
    hold_id := ledger_account(developer, 'slash_hold');
    PERFORM ledger_lock(ARRAY[bond_id, hold_id]);
    taken := least(units, bond_balance(developer, 'bond'));
    outcome := CASE WHEN NOT EXISTS (SELECT FROM slash_weights(calls) w WHERE w.units > 0) THEN 'nothing_charged'
      WHEN taken = 0 THEN 'no_bond' ELSE 'applied' END;
    IF outcome <> 'applied' THEN RETURN; END IF;
    INSERT INTO slashes (slash_id, developer_user_id, agent_id, requested_units, amount_units, explanation, evidence,
      applied_by, applied_at, counter_by, top_up_ms, trace_id)
    VALUES (id, developer, agent, units, taken, reason, proof, operator, as_of,
      as_of + counter_ms * interval '1 millisecond', slash_apply.top_up_ms, trace) RETURNING * INTO slash;
    INSERT INTO slash_calls (slash_id, invocation_id, buyer_user_id, weight_units)
      SELECT id, i.invocation_id, i.buyer_user_id, coalesce(w.units, 0) FROM invocations i
      LEFT JOIN slash_weights(calls) w ON w.invocation = i.invocation_id WHERE i.invocation_id = ANY (calls);
    PERFORM ledger_post('slash', 'slash/' || id || '/apply', NULL, agent, 'Slash over ' || agent, trace,
      ARRAY[bond_id, hold_id], ARRAY['slash', 'slash'], ARRAY[-taken, taken]);
    PERFORM slash_event(slash, 'bond.slashed', 'slash_applied', as_of);
  END $$;

  -- Locks a slash and the bond that it is about.
  CREATE FUNCTION slash_lock(id text) RETURNS slashes
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE slash slashes%ROWTYPE;
  BEGIN
    SELECT s.* INTO STRICT slash FROM slashes s WHERE s.slash_id = id FOR NO KEY UPDATE;
    PERFORM bond_lock(slash.developer_user_id);
    RETURN slash;
  END $$;

  -- The developer's counter-argument; the status that the slash has then.
  CREATE FUNCTION slash_counter(id text, text_id text, as_of timestamptz) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE slash slashes := slash_lock(id);
  BEGIN
    UPDATE slashes s SET status = 'contested', countered_at = as_of, counter_id = text_id
      WHERE s.slash_id = id AND s.status = 'applied' RETURNING s.* INTO slash;
    IF NOT FOUND THEN
      SELECT s.* INTO STRICT slash FROM slashes s WHERE s.slash_id = id;
    END IF;
    RETURN slash.status;
  END $$;

  -- Splits the amount by what is left of each charge (or, when since then all was given back, by what was left when the
  -- slash was applied), largest remainders first, so that the parts sum to it exactly.
  CREATE FUNCTION slash_split(slash slashes) RETURNS void
  LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    WITH now_left AS (
      SELECT c.invocation_id, c.weight_units, coalesce(w.units, 0) AS units FROM slash_calls c
      LEFT JOIN slash_weights(ARRAY(SELECT k.invocation_id FROM slash_calls k WHERE k.slash_id = slash.slash_id)) w
        ON w.invocation = c.invocation_id WHERE c.slash_id = slash.slash_id
    ), weighed AS (
      SELECT invocation_id, (CASE WHEN sum(units) OVER () > 0 THEN units ELSE weight_units END)::numeric AS weight
      FROM now_left
    ), exact AS (
      SELECT invocation_id, slash.amount_units * weight AS product, sum(weight) OVER () AS total FROM weighed
    ), shares AS (
      SELECT invocation_id, div(product, total) AS share,
        row_number() OVER (ORDER BY mod(product, total) DESC, invocation_id) AS place,
        slash.amount_units - sum(div(product, total)) OVER () AS left_over FROM exact
    )
    UPDATE slash_calls c SET refund_units = s.share + CASE WHEN s.place <= s.left_over THEN 1 ELSE 0 END
      FROM shares s WHERE c.slash_id = slash.slash_id AND c.invocation_id = s.invocation_id
  $$;

  CREATE FUNCTION slash_refund(slash slashes) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    hold_id bigint := ledger_account(slash.developer_user_id, 'slash_hold');
    call record;
  BEGIN
    -- payable guards the developer's lots: no dispute takes one back while they are weighed.
    PERFORM ledger_lock(ARRAY(
      SELECT a.account_id FROM accounts a WHERE a.user_id = slash.developer_user_id
        AND a.kind IN ('wallet', 'payable', 'bond', 'slash_hold')
      UNION SELECT a.account_id FROM accounts a WHERE a.kind = 'wallet'
        AND a.user_id IN (SELECT c.buyer_user_id FROM slash_calls c WHERE c.slash_id = slash.slash_id)));
    PERFORM slash_split(slash);
    FOR call IN SELECT c.* FROM slash_calls c WHERE c.slash_id = slash.slash_id AND c.refund_units > 0
      ORDER BY c.invocation_id LOOP
      PERFORM ledger_post('slash_refund', 'slash/' || slash.slash_id || '/refund/' || call.invocation_id,
        call.invocation_id, slash.agent_id, 'Refund after a slash of ' || slash.agent_id, slash.trace_id,
        ARRAY[hold_id, ledger_account(call.buyer_user_id, 'wallet')], ARRAY['slash_refund', 'slash_refund'],
        ARRAY[-call.refund_units, call.refund_units]);
    END LOOP;
  END $$;

  CREATE FUNCTION slash_return(slash slashes) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    bond_id bigint := ledger_account(slash.developer_user_id, 'bond');
    hold_id bigint := ledger_account(slash.developer_user_id, 'slash_hold');
  BEGIN
    PERFORM ledger_lock(ARRAY[bond_id, hold_id, ledger_account(slash.developer_user_id, 'wallet')]);
    PERFORM ledger_post('slash_return', 'slash/' || slash.slash_id || '/return', NULL, slash.agent_id,
      'Slash over ' || slash.agent_id || ' overturned', slash.trace_id, ARRAY[hold_id, bond_id],
      ARRAY['slash', 'slash'], ARRAY[-slash.amount_units, slash.amount_units]);
  END $$;

  -- Opens a shortfall when the bond is below its tier's minimum now; one that is open keeps its deadline.
  CREATE FUNCTION slash_shortfall(slash slashes, as_of timestamptz) RETURNS timestamptz
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE deadline timestamptz;
  BEGIN
    UPDATE bonds b SET shortfall_slash_id = slash.slash_id, shortfall_minimum_units = bond_tier_minimum(b.tier),
        shortfall_since = as_of, shortfall_deadline = as_of + slash.top_up_ms * interval '1 millisecond'
      WHERE b.developer_user_id = slash.developer_user_id AND b.shortfall_slash_id IS NULL
        AND bond_tier_minimum(b.tier) > bond_balance(b.developer_user_id, 'bond')
      RETURNING b.shortfall_deadline INTO deadline;
    RETURN deadline;
  END $$;

  -- decision: silence (of the developer, who had the time to answer) | upheld | overturned. The status that the slash
  -- has then, and until when the bond must be topped up because of it.
  CREATE FUNCTION slash_resolve(id text, decision text, text_id text, operator text, as_of timestamptz,
    OUT status text, OUT top_up_by timestamptz)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE slash slashes := slash_lock(id);
  BEGIN
    IF NOT coalesce(CASE decision WHEN 'silence' THEN slash.status = 'applied'
        WHEN 'upheld' THEN slash.status = 'contested'
        WHEN 'overturned' THEN slash.status IN ('applied', 'contested') END, false) THEN
      status := slash.status;
      top_up_by := slash.top_up_by;
      RETURN;
    END IF;
    IF decision = 'overturned' THEN
      PERFORM slash_return(slash);
    ELSE
      PERFORM slash_refund(slash);
      top_up_by := slash_shortfall(slash, as_of);
    END IF;
    UPDATE slashes s SET status = CASE decision WHEN 'overturned' THEN 'overturned' ELSE 'final' END,
        resolution = CASE decision WHEN 'silence' THEN 'developer_silent' ELSE 'operator' END,
        resolved_at = as_of, resolved_by = operator, decision_id = text_id, top_up_by = slash_resolve.top_up_by
      WHERE s.slash_id = id RETURNING s.* INTO slash;
    status := slash.status;
    PERFORM slash_event(slash, CASE slash.status WHEN 'final' THEN 'slash.finalized' ELSE 'slash.overturned' END,
      'slash_' || slash.status, as_of);
    IF top_up_by IS NOT NULL THEN
      PERFORM bond_notify(slash.developer_user_id, 'bond_shortfall', id, NULL,
        jsonb_build_object('top_up_by', event_time(top_up_by)), as_of);
    END IF;
    PERFORM bond_cover_shortfall(slash.developer_user_id, as_of);
    PERFORM bond_pay_waiting(slash.developer_user_id, as_of);
    PERFORM developer_standing_refresh(slash.developer_user_id);
  END $$;

  -- The end of the time to top up. outcome: delisted | topped_up. A deposit of the same instant is before or after it.
  CREATE FUNCTION slash_end_top_up(id text, as_of timestamptz) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    slash slashes := slash_lock(id);
    bond bonds := bond_lock(slash.developer_user_id);
  BEGIN
    IF bond.shortfall_slash_id IS DISTINCT FROM id THEN
      RETURN 'topped_up';
    ELSIF bond.shortfall_ended_at IS NULL THEN
      UPDATE bonds b SET shortfall_ended_at = as_of WHERE b.developer_user_id = slash.developer_user_id;
      PERFORM bond_notify(slash.developer_user_id, 'bond_delisted', id, NULL, '{}', as_of);
      PERFORM developer_standing_refresh(slash.developer_user_id);
    END IF;
    RETURN 'delisted';
  END $$;

  REVOKE ALL ON FUNCTION slash_weights, slash_apply, slash_lock, slash_counter, slash_split, slash_refund, slash_return,
    slash_shortfall, slash_resolve, slash_end_top_up FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION slash_apply, slash_counter, slash_resolve, slash_end_top_up TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION slash_end_top_up, slash_resolve, slash_shortfall, slash_return, slash_refund, slash_split, slash_counter,
    slash_lock, slash_apply, slash_weights;
`);
