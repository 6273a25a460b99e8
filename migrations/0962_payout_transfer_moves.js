/**
 * What happens to transfers. A transfer is written once for an address, network and attempt of a Monday, over payouts
 * that are reserved; it moves while it is on its way, and its end is the end of its payouts, in one transaction.
 * Locks: the transfer, its payouts, then accounts (payout_settle).
 */
exports.up = (knex) =>
  knex.raw(`
  -- False: it was written before, and nothing is changed.
  CREATE FUNCTION payout_transfer_write(
    new_transfer_id text, monday timestamptz, attempt_no integer, on_network text, of_asset text, from_treasury text,
    with_nonce text, payout_ids text[], total bigint, valid_until timestamptz, first_block bigint, content bytea
  ) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    named record;
  BEGIN
    INSERT INTO payout_transfers (transfer_id, as_of, attempt, network, asset, treasury, nonce, payouts, total_minor,
                                  valid_before, from_block, sealed)
    VALUES (new_transfer_id, monday, attempt_no, on_network, of_asset, from_treasury, with_nonce,
            cardinality(payout_ids), total, valid_until, first_block, content)
    ON CONFLICT (transfer_id) DO NOTHING;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    WITH moved AS (
      UPDATE payouts p SET status = 'processing', transfer_id = new_transfer_id
      WHERE p.payout_id = ANY (payout_ids) AND p.status = 'pending' AND p.transfer_id IS NULL AND p.method = 'usdc'
        AND p.as_of = monday AND p.attempt = attempt_no AND p.currency = 'USDC' RETURNING p.amount_minor)
    SELECT count(*) AS n, sum(m.amount_minor) AS total INTO named FROM moved m;
    IF named.n <> cardinality(payout_ids) OR named.total IS DISTINCT FROM total THEN
      RAISE EXCEPTION 'transfer % names % payouts over %, there are % over %', new_transfer_id,
        cardinality(payout_ids), total, named.n, named.total USING ERRCODE = '23514';
    END IF;
    RETURN true;
  END $$;

  -- A transfer that goes on; false when it is in none of the states from_states. A hash that is known stays known.
  CREATE FUNCTION payout_transfer_move(
    moved_id text, from_states text[], to_state text, hash text, why text
  ) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    IF to_state NOT IN ('pending', 'unknown', 'submitted') THEN
      RAISE EXCEPTION 'a transfer ends by payout_transfer_end' USING ERRCODE = '23514';
    END IF;
    UPDATE payout_transfers t SET state = to_state, tx_hash = coalesce(hash, t.tx_hash), reason = why,
        sent_at = CASE to_state WHEN 'unknown' THEN coalesce(t.sent_at, now()) ELSE t.sent_at END
      WHERE t.transfer_id = moved_id AND t.state = ANY (from_states);
    RETURN FOUND;
  END $$;

  -- Ends a transfer and its payouts, paid or given back; false when it had its end.
  CREATE FUNCTION payout_transfer_end(
    ended_id text, is_confirmed boolean, hash text, why text, ended_when timestamptz
  ) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    was payout_transfers%ROWTYPE;
    ended integer;
  BEGIN
    SELECT t.* INTO was FROM payout_transfers t WHERE t.transfer_id = ended_id FOR UPDATE;
    IF was.state IN ('confirmed', 'failed') THEN
      RETURN false;
    END IF;
    UPDATE payout_transfers t SET state = CASE WHEN is_confirmed THEN 'confirmed' ELSE 'failed' END,
        tx_hash = coalesce(hash, t.tx_hash), reason = CASE WHEN NOT is_confirmed THEN coalesce(why, 'returned') END,
        ended_at = ended_when
      WHERE t.transfer_id = ended_id;
    ended := payout_settle(ARRAY(SELECT p.payout_id FROM payouts p WHERE p.transfer_id = ended_id), is_confirmed,
      coalesce(why, 'returned'), ended_when);
    IF ended <> was.payouts THEN
      RAISE EXCEPTION 'transfer % has % payouts, % had no end', ended_id, was.payouts, ended USING ERRCODE = '23514';
    END IF;
    RETURN true;
  END $$;

  -- Gives back what is reserved and in no transfer and no file; how many.
  CREATE FUNCTION payout_return_reserved(payout_ids text[], why text, ended_when timestamptz) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM 1 FROM payouts p WHERE p.payout_id = ANY (payout_ids) ORDER BY p.payout_id FOR NO KEY UPDATE;
    RETURN payout_settle(ARRAY(SELECT p.payout_id FROM payouts p WHERE p.payout_id = ANY (payout_ids)
      AND p.status = 'pending' AND num_nonnulls(p.transfer_id, p.file_id) = 0), false, why, ended_when);
  END $$;

  REVOKE ALL ON FUNCTION payout_transfer_write, payout_transfer_move, payout_transfer_end, payout_return_reserved
    FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION payout_transfer_write, payout_transfer_move, payout_transfer_end, payout_return_reserved
    TO market_app;
`);

exports.down = (knex) =>
  knex.raw(
    'DROP FUNCTION payout_return_reserved, payout_transfer_end, payout_transfer_move, payout_transfer_write;',
  );
