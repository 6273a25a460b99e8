/**
 * A digest of each UTC day of the ledger, chained and sealed (docs/ledger.md, "Digests"). A transaction is of the day in
 * which its id was made: ids are UUIDv7 of the database's own clock, so a day is a range of the primary key, and a day
 * that is over gets no more of them once every database transaction that was open then has ended.
 *
 * `digest_between` folds transactions into 32 bytes, one after the other in the order of their ids, so that a day of any
 * size takes no memory and can be read in parts. The worker signs what comes out; rows are written once, day after day.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE ledger_digests (
    day              date PRIMARY KEY,
    format           smallint NOT NULL DEFAULT 1 CHECK (format = 1),
    transactions     bigint NOT NULL CHECK (transactions >= 0),
    entries          bigint NOT NULL CHECK (entries >= 0),
    debits_units     bigint NOT NULL CHECK (debits_units <= 0),
    credits_units    bigint NOT NULL CHECK (credits_units >= 0),
    entries_sha256   text NOT NULL CHECK (entries_sha256 ~ '^[0-9a-f]{64}$'),
    previous_sha256  text NOT NULL CHECK (previous_sha256 ~ '^[0-9a-f]{64}$'),
    digest_sha256    text NOT NULL UNIQUE CHECK (digest_sha256 ~ '^[0-9a-f]{64}$'),
    kid              text NOT NULL REFERENCES signing_keys,
    seal             text NOT NULL,
    sealed_at        timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON COLUMN ledger_digests.previous_sha256 IS 'digest_sha256 of the day before; zeros on the first day';
  COMMENT ON COLUMN ledger_digests.digest_sha256 IS 'SHA-256 of digest_terms: what is signed';
  COMMENT ON COLUMN ledger_digests.seal IS 'Compact JWS over digest_terms by the key kid';

  -- One step: the state before (at the beginning: start), and the next line.
  CREATE FUNCTION digest_fold(state bytea, line text, start bytea) RETURNS bytea
  LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN sha256(coalesce(state, start) || convert_to(line, 'UTF8'));
  CREATE AGGREGATE digest_chain(line text, start bytea) (sfunc = digest_fold, stype = bytea);

  -- The transactions with ids from from_id up to, and without, until_id, each one line: a JSON array of the transaction,
  -- and behind it one of each entry. Columns that are added to them later belong into a new format.
  CREATE FUNCTION digest_between(from_id text, until_id text, start bytea,
    OUT transactions bigint, OUT entries bigint, OUT debits_units bigint, OUT credits_units bigint, OUT folded bytea)
  LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC' AS $$
    SELECT count(*), coalesce(sum(l.entries), 0)::bigint, coalesce(sum(l.debits), 0)::bigint,
      coalesce(sum(l.credits), 0)::bigint,
      coalesce(digest_chain(json_build_array(t.transaction_id, t.kind, t.reference, t.invocation_id, t.agent_id,
        t.description, t.trace_id, t.created_at)::text || coalesce(l.lines, ''), start ORDER BY t.transaction_id), start)
    FROM transactions t LEFT JOIN (
      SELECT e.transaction_id, count(*) AS entries, sum(least(e.amount_units, 0)) AS debits,
        sum(greatest(e.amount_units, 0)) AS credits,
        string_agg(json_build_array(e.line, e.entry_id, e.account_id, e.entry_type, e.amount_units,
          e.balance_before_units, e.balance_after_units, e.account_version, e.created_at)::text, '' ORDER BY e.line) AS lines
      FROM entries e WHERE e.transaction_id >= from_id AND e.transaction_id < until_id GROUP BY e.transaction_id
    ) l USING (transaction_id)
    WHERE t.transaction_id >= from_id AND t.transaction_id < until_id
  $$;

  -- Below all ids that are made on a day, and above all of the day before.
  CREATE FUNCTION digest_first_id(day date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN 'txn_' || lpad(to_hex((day - date '1970-01-01')::bigint * 86400000), 12, '0') || repeat('0', 20);

  CREATE FUNCTION digest_day_of(id text) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN id ~ '^txn_[0-9a-f]{32}$' THEN
    date '1970-01-01' + (('x' || substr(id, 5, 12))::bit(48)::bigint / 86400000)::integer END;

  -- The day after the last digest, or of the first transaction, when it ended at least five minutes before closed_by.
  CREATE FUNCTION digest_next_day(closed_by timestamptz) RETURNS date
  LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT n.day FROM (SELECT coalesce((SELECT max(d.day) + 1 FROM ledger_digests d),
      (SELECT digest_day_of(min(t.transaction_id)) FROM transactions t)) AS day) n
    WHERE (n.day + 1)::timestamp AT TIME ZONE 'UTC' + interval '5 minutes' <= closed_by
  $$;

  -- What is signed and chained: canonical JSON (RFC 8785).
  CREATE FUNCTION digest_terms(d ledger_digests) RETURNS text LANGUAGE sql STABLE
  RETURN format('{"credits_units":%s,"day":"%s","debits_units":%s,"entries":%s,"entries_sha256":"%s","format":%s,'
    || '"previous_sha256":"%s","transactions":%s}', d.credits_units, to_char(d.day, 'YYYY-MM-DD'), d.debits_units,
    d.entries, d.entries_sha256, d.format, d.previous_sha256, d.transactions);

  CREATE FUNCTION digest_guard() RETURNS trigger
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
  CREATE TRIGGER ledger_digests_guard BEFORE INSERT ON ledger_digests
    FOR EACH ROW EXECUTE FUNCTION digest_guard();
  CREATE TRIGGER ledger_digests_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_digests
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  GRANT SELECT, INSERT ON ledger_digests TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION digest_next_day, digest_between, digest_first_id, digest_day_of, digest_terms;
  DROP AGGREGATE digest_chain(text, bytea);
  DROP FUNCTION digest_fold;
  DROP TABLE ledger_digests;
  DROP FUNCTION digest_guard;
`);
