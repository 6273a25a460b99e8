/**
 * The steps of a call (engine.md §2). Each locks the invocation rows first, in id order, then lets the ledger lock
 * holds and accounts; so no two steps can wait for each other in a circle. The hold row decides: a step that comes
 * too late changes nothing and returns the state that the row has. One row per item, in order.
 */
exports.up = (knex) =>
  knex.raw(`
  -- Locks the rows of these calls, in id order.
  CREATE FUNCTION invocation_lock(ids text[]) RETURNS void
  LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT FROM invocations i WHERE i.invocation_id = ANY (ids) ORDER BY i.invocation_id FOR NO KEY UPDATE
  $$;

  -- The same for a batch that will move money: all its holds and accounts too, so that batches cannot deadlock.
  CREATE FUNCTION invocation_lock_batch(ids text[]) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM invocation_lock(ids);
    IF cardinality(ids) > 1 THEN
      PERFORM ledger_lock_holds(ids);
    END IF;
  END $$;

  -- outcome: held (the hold is open, now or since an earlier attempt), or the state that decided before.
  CREATE FUNCTION invocation_hold(ids text[], lease_ms integer)
  RETURNS TABLE (ord integer, outcome text, status text, error_code text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  #variable_conflict use_column
  DECLARE call invocations%ROWTYPE; held text;
  BEGIN
    PERFORM invocation_lock(ids);
    IF cardinality(ids) > 1 THEN
      PERFORM ledger_lock(ARRAY(SELECT a.account_id FROM accounts a JOIN invocations i ON i.buyer_user_id = a.user_id
        WHERE i.invocation_id = ANY (ids) AND a.kind IN ('wallet', 'escrow')));
    END IF;
    FOR ord IN 1 .. cardinality(ids) LOOP
      SELECT i.* INTO STRICT call FROM invocations i WHERE i.invocation_id = ids[ord];
      IF call.status = 'pending' THEN
        SELECT h.outcome INTO STRICT held FROM ledger_hold(
          ARRAY[call.invocation_id], ARRAY[call.buyer_user_id], ARRAY[call.developer_user_id], ARRAY[call.agent_id],
          ARRAY[call.version_id], ARRAY[call.price_units], ARRAY[now() + lease_ms * interval '1 millisecond'],
          ARRAY[call.trace_id]) h;
        IF held = 'insufficient' THEN
          UPDATE invocations i SET status = 'failed', error_code = 'insufficient_credits', settled_at = now()
            WHERE i.invocation_id = call.invocation_id RETURNING * INTO call;
        ELSE
          UPDATE invocations i SET status = 'running' WHERE i.invocation_id = call.invocation_id RETURNING * INTO call;
        END IF;
      END IF;
      outcome := CASE call.status WHEN 'running' THEN 'held' ELSE call.status END;
      status := call.status;
      error_code := call.error_code;
      RETURN NEXT;
    END LOOP;
  END $$;

  -- The guard: granted once, while the hold is open and its lease runs (again only for repeatable calls).
  CREATE FUNCTION invocation_forward(id text, lease_ms integer, repeatable boolean)
  RETURNS TABLE (outcome text, status text, error_code text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  #variable_conflict use_column
  DECLARE hold holds%ROWTYPE;
  BEGIN
    UPDATE holds h SET forwarded_at = now(), forward_count = h.forward_count + 1,
        lease_until = now() + lease_ms * interval '1 millisecond'
      WHERE h.invocation_id = id AND h.state = 'open' AND h.lease_until > now()
        AND (h.forwarded_at IS NULL OR repeatable);
    IF FOUND THEN
      outcome := 'granted';
    ELSE
      SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = id;
      outcome := CASE
        WHEN hold.state IS DISTINCT FROM 'open' THEN 'resolved'
        WHEN hold.forwarded_at IS NOT NULL THEN 'already_forwarded'
        ELSE 'lapsed' END;
    END IF;
    SELECT i.status, i.error_code INTO STRICT status, error_code FROM invocations i WHERE i.invocation_id = id;
    RETURN NEXT;
  END $$;

  -- Capture: the developer is paid and the answer of a keyed call is kept, in one transaction.
  CREATE FUNCTION invocation_settle(items jsonb)
  RETURNS TABLE (ord integer, outcome text, status text, error_code text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  #variable_conflict use_column
  DECLARE item record;
  BEGIN
    PERFORM invocation_lock_batch(ARRAY(SELECT e ->> 'invocation_id' FROM jsonb_array_elements(items) e));
    FOR item IN
      SELECT r.* FROM ROWS FROM (jsonb_to_recordset(items) AS (
        invocation_id text, charged_units bigint, output_sha256 text, tokens_in integer, tokens_out integer,
        duration_ms integer, answer text, answer_ttl_ms bigint, matures_after_ms bigint)) WITH ORDINALITY AS r(
        invocation_id, charged_units, output_sha256, tokens_in, tokens_out, duration_ms, answer, answer_ttl_ms,
        matures_after_ms, n)
    LOOP
      ord := item.n;
      SELECT c.outcome INTO STRICT outcome FROM ledger_capture(ARRAY[item.invocation_id], ARRAY[item.charged_units],
        ARRAY[now() + item.matures_after_ms * interval '1 millisecond']) c;
      IF outcome = 'captured' THEN
        UPDATE invocations i SET status = 'succeeded', settled_at = now(), charged_units = item.charged_units,
            output_sha256 = item.output_sha256, tokens_in = item.tokens_in, tokens_out = item.tokens_out,
            duration_ms = item.duration_ms
          WHERE i.invocation_id = item.invocation_id;
        IF item.answer IS NOT NULL THEN
          INSERT INTO invocation_answers (invocation_id, answer, expires_at)
          VALUES (item.invocation_id, decode(item.answer, 'base64'), now() + item.answer_ttl_ms * interval '1 millisecond');
        END IF;
        PERFORM invocation_tell(item.invocation_id);
      END IF;
      SELECT i.status, i.error_code INTO STRICT status, error_code FROM invocations i
        WHERE i.invocation_id = item.invocation_id;
      RETURN NEXT;
    END LOOP;
  END $$;

  -- Void: the buyer has everything back and the call has failed with this code.
  CREATE FUNCTION invocation_refund(items jsonb)
  RETURNS TABLE (ord integer, outcome text, status text, error_code text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  #variable_conflict use_column
  DECLARE item record;
  BEGIN
    PERFORM invocation_lock_batch(ARRAY(SELECT e ->> 'invocation_id' FROM jsonb_array_elements(items) e));
    FOR item IN
      SELECT r.* FROM ROWS FROM (jsonb_to_recordset(items) AS (
        invocation_id text, error_code text, duration_ms integer)) WITH ORDINALITY AS r(
        invocation_id, error_code, duration_ms, n)
    LOOP
      ord := item.n;
      SELECT v.outcome INTO STRICT outcome FROM ledger_void(ARRAY[item.invocation_id], ARRAY[false]) v;
      IF outcome IN ('voided', 'no_hold') THEN
        UPDATE invocations i SET status = 'failed', settled_at = now(), error_code = item.error_code,
            duration_ms = item.duration_ms, charged_units = 0
          WHERE i.invocation_id = item.invocation_id AND i.status IN ('pending', 'running');
        PERFORM invocation_tell(item.invocation_id);
      END IF;
      SELECT i.status, i.error_code INTO STRICT status, error_code FROM invocations i
        WHERE i.invocation_id = item.invocation_id;
      RETURN NEXT;
    END LOOP;
  END $$;

  -- Undoes an accept whose workflow may not run; a call that has its hold goes on.
  CREATE FUNCTION invocation_fail_pending(id text, code text)
  RETURNS TABLE (outcome text, status text, error_code text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    UPDATE invocations i SET status = 'failed', settled_at = now(), error_code = code, charged_units = 0
      WHERE i.invocation_id = id AND i.status = 'pending';
    outcome := CASE WHEN FOUND THEN 'failed' ELSE 'kept' END;
    IF FOUND THEN PERFORM invocation_tell(id); END IF;
    SELECT i.status, i.error_code INTO STRICT status, error_code FROM invocations i WHERE i.invocation_id = id;
    RETURN NEXT;
  END $$;

  -- Ends calls that nobody drives: open holds past their lease, and pending rows that never got a hold.
  CREATE FUNCTION invocation_sweep(pending_lease_ms integer, most integer) RETURNS TABLE (invocation_id text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  #variable_conflict use_column
  DECLARE lost text[];
  BEGIN
    SELECT coalesce(array_agg(l.invocation_id), '{}') INTO lost FROM (
      SELECT i.invocation_id FROM invocations i
      WHERE (i.status = 'pending' AND i.invoked_at < now() - pending_lease_ms * interval '1 millisecond')
         OR EXISTS (SELECT FROM holds h WHERE h.invocation_id = i.invocation_id AND h.state = 'open'
                    AND h.lease_until < now() AND i.status = 'running')
      ORDER BY i.invocation_id LIMIT most FOR NO KEY UPDATE OF i SKIP LOCKED) l;
    PERFORM ledger_lock_holds(lost);
    RETURN QUERY SELECT r.item ->> 'invocation_id' FROM (
      SELECT jsonb_build_object('invocation_id', u.id, 'error_code', 'engine_unavailable') AS item
      FROM unnest(lost) u(id)) r, LATERAL (SELECT count(*) FROM invocation_refund(jsonb_build_array(r.item))) done;
  END $$;

  CREATE FUNCTION invocation_wait(id text, waiting_owner text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    INSERT INTO invocation_waiters (invocation_id, owner)
    SELECT i.invocation_id, waiting_owner FROM invocations i
    WHERE i.invocation_id = id AND i.status IN ('pending', 'running') ON CONFLICT DO NOTHING
  $$;

  -- Notifies only when somebody waits: every NOTIFY takes a lock that all commits share.
  CREATE FUNCTION invocation_tell(id text) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    IF EXISTS (SELECT FROM invocation_waiters w WHERE w.invocation_id = id) THEN
      DELETE FROM invocation_waiters w WHERE w.invocation_id = id;
      PERFORM pg_notify('invocation_settled', id);
    END IF;
  END $$;

  REVOKE ALL ON FUNCTION invocation_lock, invocation_lock_batch, invocation_hold, invocation_forward, invocation_settle, invocation_refund,
    invocation_fail_pending, invocation_sweep, invocation_wait, invocation_tell FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION invocation_hold, invocation_forward, invocation_settle, invocation_refund,
    invocation_fail_pending, invocation_sweep, invocation_wait TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION invocation_sweep, invocation_fail_pending, invocation_refund, invocation_settle, invocation_forward,
    invocation_hold, invocation_wait, invocation_tell, invocation_lock_batch,
    invocation_lock;
`);
