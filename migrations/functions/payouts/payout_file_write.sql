-- Writes a file for a bank and marks its payouts as processing. Returns the hash of the file; when the file was
-- written before, that of the existing one, and nothing changes.
-- Called by: src/stores/payouts/payout-files.ts.
-- Locks: the advisory lock of the file id, then the payouts.
CREATE OR REPLACE FUNCTION payout_file_write(
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
  -- A payout that became pending after the caller read them belongs into the file too: the caller reads again.
  IF EXISTS (SELECT FROM payouts p WHERE p.as_of = monday AND p.attempt = attempt_no AND p.method = rail
             AND p.status = 'pending' AND p.file_id IS NULL AND p.payout_id <> ALL (payout_ids)) THEN
    RAISE EXCEPTION 'file % lacks a pending payout', new_file_id USING ERRCODE = '40001';
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

REVOKE ALL ON FUNCTION payout_file_write FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_file_write TO market_app;
