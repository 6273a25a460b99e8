/**
 * What happens to reserved payouts: they are named by a file (or a sender's reference), and end once, paid
 * (payout_clearing → cash, payout/<id>/paid) or failed (payout_clearing → payable, payout/<id>/return). Clawbacks
 * recover from lots first, from carries then: together they are what payable holds.
 */
exports.up = (knex) =>
  knex.raw(`
  -- Names the payouts of a file; the hash of the file that is there already when it was written before.
  CREATE FUNCTION payout_file_write(
    new_file_id text, rail text, monday timestamptz, attempt_no integer, file_name text, payout_ids text[],
    total bigint, file_currency text, hash text, content bytea
  ) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    known text;
    named record;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(new_file_id, 92));
    SELECT f.sha256 INTO known FROM payout_files f WHERE f.file_id = new_file_id;
    IF known IS NOT NULL THEN
      RETURN known;
    END IF;
    INSERT INTO payout_files (file_id, method, as_of, attempt, name, payouts, total_minor, currency, sha256, sealed)
    VALUES (new_file_id, rail, monday, attempt_no, file_name, cardinality(payout_ids), total, file_currency, hash,
            content);
    WITH moved AS (
      UPDATE payouts p SET status = 'processing', file_id = new_file_id
      WHERE p.payout_id = ANY (payout_ids) AND p.status = 'pending' AND p.file_id IS NULL AND p.method = rail
        AND p.as_of = monday AND p.attempt = attempt_no AND p.currency = file_currency RETURNING p.amount_minor)
    SELECT count(*) AS n, sum(m.amount_minor) AS total INTO named FROM moved m;
    IF named.n <> cardinality(payout_ids) OR named.total <> total THEN
      RAISE EXCEPTION 'file % names % payouts over %, there are % over %', new_file_id, cardinality(payout_ids), total,
        named.n, named.total USING ERRCODE = '23514';
    END IF;
    RETURN hash;
  END $$;

  -- Ends payouts; how many it ended. Those that have an end keep it.
  CREATE FUNCTION payout_settle(payout_ids text[], is_paid boolean, failure text, ended_at timestamptz)
  RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    made payouts%ROWTYPE;
    ended integer := 0;
    target bigint;
  BEGIN
    PERFORM 1 FROM payouts p WHERE p.payout_id = ANY (payout_ids) ORDER BY p.payout_id FOR NO KEY UPDATE;
    IF NOT is_paid THEN
      PERFORM ledger_lock(ARRAY(SELECT a.account_id FROM accounts a JOIN payouts p ON p.developer_user_id = a.user_id
        WHERE p.payout_id = ANY (payout_ids) AND a.kind = 'payable'));
    END IF;
    FOR made IN SELECT p.* FROM payouts p WHERE p.payout_id = ANY (payout_ids)
      AND p.status IN ('pending', 'processing') ORDER BY p.payout_id
    LOOP
      made.status := CASE WHEN is_paid THEN 'paid' ELSE 'failed' END;
      made.reason := CASE WHEN NOT is_paid THEN coalesce(failure, 'returned') END;
      UPDATE payouts p SET status = made.status, reason = made.reason, completed_at = ended_at
        WHERE p.payout_id = made.payout_id;
      target := 1;
      IF NOT is_paid THEN
        target := ledger_account(made.developer_user_id, 'payable');
        INSERT INTO payout_carries (payout_id, kind, developer_user_id, amount_units)
        VALUES (made.payout_id, 'returned', made.developer_user_id, made.amount_units);
      END IF;
      PERFORM ledger_post('payout', 'payout/' || made.payout_id || CASE WHEN is_paid THEN '/paid' ELSE '/return' END,
        NULL, NULL, CASE WHEN is_paid THEN 'Paid out' ELSE 'Payout returned' END || ': ' || made.payout_id,
        made.trace_id, ARRAY[3, target], ARRAY['payout', 'payout'], ARRAY[-made.amount_units, made.amount_units]);
      PERFORM payout_event(CASE WHEN is_paid THEN 'payout.completed' ELSE 'payout.failed' END, made);
      ended := ended + 1;
    END LOOP;
    RETURN ended;
  END $$;

  CREATE OR REPLACE FUNCTION ledger_recover_from_lots(lot earnings, taken bigint) RETURNS void
  LANGUAGE plpgsql AS $$
  DECLARE
    other record;
    missing bigint := taken;
    share bigint;
  BEGIN
    FOR other IN
      SELECT e.invocation_id, e.net_units - e.recovered_units AS open_units FROM earnings e
      WHERE e.developer_user_id = lot.developer_user_id AND e.payout_id IS NULL AND e.recovered_units < e.net_units
      ORDER BY e.invocation_id <> lot.invocation_id, e.matures_at, e.invocation_id
    LOOP
      EXIT WHEN missing = 0;
      share := least(missing, other.open_units);
      UPDATE earnings e SET recovered_units = e.recovered_units + share WHERE e.invocation_id = other.invocation_id;
      missing := missing - share;
    END LOOP;
    FOR other IN
      SELECT c.payout_id, c.kind, c.amount_units - c.recovered_units AS open_units FROM payout_carries c
      WHERE c.developer_user_id = lot.developer_user_id AND c.into_payout_id IS NULL
        AND c.recovered_units < c.amount_units ORDER BY c.payout_id, c.kind
    LOOP
      EXIT WHEN missing = 0;
      share := least(missing, other.open_units);
      UPDATE payout_carries c SET recovered_units = c.recovered_units + share
        WHERE c.payout_id = other.payout_id AND c.kind = other.kind;
      missing := missing - share;
    END LOOP;
    IF missing <> 0 THEN
      RAISE EXCEPTION 'payable of % holds % more than its lots', lot.developer_user_id, missing USING ERRCODE = '23514';
    END IF;
    UPDATE earnings e SET clawed_back_at = now(), dispute_open = false WHERE e.invocation_id = lot.invocation_id;
  END $$;

  REVOKE ALL ON FUNCTION payout_file_write, payout_settle FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION payout_file_write, payout_settle TO market_app;
`);

exports.down = (knex) => knex.raw('DROP FUNCTION payout_settle, payout_file_write;');
