/**
 * The moves of a dispute, each with its money in one transaction. Lock order: the invocation row, the dispute's row,
 * then what the ledger locks (holds, accounts); the same as the steps of a call (0302), so that a dispute and a
 * success, a failure or a timeout of the same instant follow one another, and the second finds what the first decided.
 */
exports.up = (knex) =>
  knex.raw(`
  -- Keeps a lot out of payouts while its case runs. Whoever takes lots into a payout locks payable first, too.
  CREATE FUNCTION dispute_mark_lot(invocation text, developer text, undecided boolean) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM ledger_lock(ARRAY[ledger_account(developer, 'payable')]);
    UPDATE earnings e SET dispute_open = undecided WHERE e.invocation_id = invocation;
  END $$;

  -- Ends a call that runs: all of its hold returns, and whoever waits for it is told, wherever that is.
  CREATE FUNCTION dispute_stop_call(invocation text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE voided record;
  BEGIN
    SELECT v.outcome, v.amount_units INTO STRICT voided FROM ledger_void(ARRAY[invocation], ARRAY[true]) v;
    IF voided.outcome <> 'disputed' THEN
      RAISE EXCEPTION 'running call % cannot be disputed: %', invocation, voided.outcome USING ERRCODE = '23514';
    END IF;
    UPDATE invocations i SET status = 'disputed', settled_at = now(), charged_units = 0
      WHERE i.invocation_id = invocation;
    DELETE FROM invocation_waiters w WHERE w.invocation_id = invocation;
    PERFORM pg_notify('invocation_settled', invocation);
    RETURN voided.amount_units;
  END $$;

  -- outcome: refunded (it ran, and is disputed now) | opened (a case) | not_found | already_disputed | call_failed |
  -- window_closed. closes_at: until when a success may be disputed.
  CREATE FUNCTION dispute_open(
    id text, invocation text, buyer text, ground text, details text, window_ms bigint, response_ms bigint,
    as_of timestamptz, trace text, OUT outcome text, OUT closes_at timestamptz
  ) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    call invocations%ROWTYPE;
    refunded bigint := 0;
  BEGIN
    SELECT i.* INTO call FROM invocations i
      WHERE i.invocation_id = invocation AND i.buyer_user_id = buyer FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      outcome := 'not_found';
      RETURN;
    END IF;
    IF call.status = 'pending' THEN
      -- The hold row decides here too: it is made, and voided at once.
      PERFORM FROM invocation_hold(ARRAY[invocation], 30000);
      SELECT i.* INTO STRICT call FROM invocations i WHERE i.invocation_id = invocation;
    END IF;
    IF call.status = 'disputed' OR EXISTS (SELECT FROM disputes d WHERE d.invocation_id = invocation) THEN
      outcome := 'already_disputed';
    ELSIF call.status = 'failed' THEN
      outcome := 'call_failed';
    ELSIF call.status = 'running' THEN
      outcome := 'refunded';
      refunded := dispute_stop_call(invocation);
    ELSE
      -- The terms of the call: its earnings mature when it can no longer be disputed.
      SELECT e.matures_at INTO closes_at FROM earnings e WHERE e.invocation_id = invocation;
      closes_at := coalesce(closes_at, call.settled_at + window_ms * interval '1 millisecond');
      outcome := CASE WHEN as_of < closes_at THEN 'opened' ELSE 'window_closed' END;
    END IF;
    IF outcome NOT IN ('refunded', 'opened') THEN
      RETURN;
    END IF;
    INSERT INTO disputes (dispute_id, invocation_id, buyer_user_id, developer_user_id, agent_id, reason, description,
      status, resolution, refunded_units, opened_at, respond_by, resolved_at, trace_id)
    VALUES (id, invocation, buyer, call.developer_user_id, call.agent_id, ground, details,
      CASE outcome WHEN 'opened' THEN 'open' ELSE 'won' END,
      CASE outcome WHEN 'opened' THEN NULL ELSE 'call_in_progress' END, refunded, as_of,
      CASE outcome WHEN 'opened' THEN as_of + response_ms * interval '1 millisecond' END,
      CASE outcome WHEN 'opened' THEN NULL ELSE as_of END, trace);
    IF outcome = 'opened' THEN
      PERFORM dispute_mark_lot(invocation, call.developer_user_id, true);
    END IF;
  END $$;

  -- Locks a case: the invocation row, then its own.
  CREATE FUNCTION dispute_lock(id text) RETURNS disputes
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE found_case disputes%ROWTYPE;
  BEGIN
    PERFORM invocation_lock(ARRAY(SELECT d.invocation_id FROM disputes d WHERE d.dispute_id = id));
    SELECT d.* INTO STRICT found_case FROM disputes d WHERE d.dispute_id = id FOR NO KEY UPDATE;
    RETURN found_case;
  END $$;

  -- A charge that the buyer gets back in full, by clawback; what a free call returns is 0.
  CREATE FUNCTION dispute_refund_charge(invocation text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE returned record;
  BEGIN
    SELECT c.outcome, c.amount_units INTO STRICT returned FROM ledger_clawback(ARRAY[invocation]) c;
    IF returned.outcome NOT IN ('clawed_back', 'nothing_charged') THEN
      RAISE EXCEPTION 'call % cannot be taken back: %', invocation, returned.outcome USING ERRCODE = '23514';
    END IF;
    UPDATE invocations i SET status = 'disputed' WHERE i.invocation_id = invocation;
    DELETE FROM invocation_answers a WHERE a.invocation_id = invocation;
    RETURN coalesce(returned.amount_units, 0);
  END $$;

  -- The developer's answer, or the end of the time for it. outcome: responded | already_decided (and nothing changed).
  CREATE FUNCTION dispute_respond(id text, decision text, text_id text, as_of timestamptz,
    OUT outcome text, OUT status text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE current disputes := dispute_lock(id);
  BEGIN
    outcome := CASE WHEN current.status = 'open' THEN 'responded' ELSE 'already_decided' END;
    status := current.status;
    IF outcome = 'already_decided' THEN
      RETURN;
    ELSIF decision = 'contest' THEN
      UPDATE disputes d SET status = 'contested', responded_at = as_of, statement_id = text_id
        WHERE d.dispute_id = id RETURNING d.status INTO dispute_respond.status;
    ELSIF decision IN ('accept', 'silence') THEN
      UPDATE disputes d SET status = 'accepted', resolved_at = as_of, statement_id = text_id,
          responded_at = CASE decision WHEN 'accept' THEN as_of END,
          resolution = CASE decision WHEN 'accept' THEN 'developer_accepted' ELSE 'developer_silent' END,
          refunded_units = dispute_refund_charge(current.invocation_id)
        WHERE d.dispute_id = id RETURNING d.status INTO dispute_respond.status;
    ELSE
      RAISE EXCEPTION 'no such response: %', decision USING ERRCODE = '22023';
    END IF;
  END $$;

  -- The operator's decision over a contested case. outcome: resolved | already_decided | not_contested.
  CREATE FUNCTION dispute_resolve(id text, decision text, text_id text, operator text, as_of timestamptz,
    OUT outcome text, OUT status text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    current disputes := dispute_lock(id);
    refunded bigint := 0;
  BEGIN
    outcome := CASE current.status WHEN 'contested' THEN 'resolved' WHEN 'open' THEN 'not_contested'
      ELSE 'already_decided' END;
    status := current.status;
    IF outcome <> 'resolved' THEN
      RETURN;
    ELSIF decision = 'buyer' THEN
      refunded := dispute_refund_charge(current.invocation_id);
    ELSIF decision = 'developer' THEN
      PERFORM dispute_mark_lot(current.invocation_id, current.developer_user_id, false);
    ELSE
      RAISE EXCEPTION 'no such decision: %', decision USING ERRCODE = '22023';
    END IF;
    UPDATE disputes d SET status = CASE decision WHEN 'buyer' THEN 'won' ELSE 'lost' END, resolution = 'operator',
        resolved_at = as_of, resolved_by = operator, decision_id = text_id, refunded_units = refunded
      WHERE d.dispute_id = id RETURNING d.status INTO dispute_resolve.status;
  END $$;

  REVOKE ALL ON FUNCTION dispute_mark_lot, dispute_stop_call, dispute_open, dispute_lock, dispute_refund_charge,
    dispute_respond, dispute_resolve FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION dispute_open, dispute_respond, dispute_resolve TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION dispute_resolve, dispute_respond, dispute_refund_charge, dispute_lock, dispute_open, dispute_stop_call,
    dispute_mark_lot;
`);
