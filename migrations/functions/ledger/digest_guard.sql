-- Checks a new digest: its day is the next one to seal, it continues the chain, and its hash is that of its terms.
-- Called by: trigger ledger_digests_guard on ledger_digests.
-- Locks: none.
CREATE OR REPLACE FUNCTION digest_guard() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE known text;
BEGIN
  SELECT d.digest_sha256 INTO known FROM ledger_digests d ORDER BY d.day DESC LIMIT 1;
  IF NEW.day IS DISTINCT FROM digest_next_day(now()) THEN
    RAISE EXCEPTION 'day % is not the next one to seal', NEW.day USING ERRCODE = '23514';
  ELSIF NEW.previous_sha256 <> coalesce(known, repeat('0', 64)) THEN
    RAISE EXCEPTION 'the digest of % does not continue the chain', NEW.day USING ERRCODE = '23514';
  ELSIF NEW.digest_sha256 <> encode(sha256(convert_to(digest_terms(NEW), 'UTF8')), 'hex') THEN
    RAISE EXCEPTION 'the digest of % is not of its terms', NEW.day USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
