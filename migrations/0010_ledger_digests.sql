-- A digest of each UTC day of the ledger, chained and signed (docs/ledger.md, "Digests"). A transaction belongs to
-- the day in which its id was made: ids are UUIDv7 of the database's clock, so a day is a range of the primary key,
-- and a day that is over gets no more of them once every database transaction that was open then has ended.
--
-- `digest_between` folds transactions into 32 bytes, one after the other in the order of their ids, so that a day of
-- any size takes no memory and can be read in parts. The worker signs the result; rows are written once, day after
-- day.

-- migrate:up

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
CREATE TRIGGER ledger_digests_guard BEFORE INSERT ON ledger_digests
  FOR EACH ROW EXECUTE FUNCTION digest_guard();
CREATE TRIGGER ledger_digests_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_digests
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- The sealed days that a check has proven (ledger_prove), and what each account held and how many entries it had at the
-- end of the last of them: an incremental check begins there.
CREATE TABLE ledger_proven_days (
  day        date PRIMARY KEY REFERENCES ledger_digests,
  is_full    boolean NOT NULL,
  proven_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN ledger_proven_days.is_full IS 'The check read all of the ledger, and not only what came after the day before';
CREATE TABLE account_openings (
  account_id  bigint PRIMARY KEY,
  units       bigint NOT NULL,
  entries     bigint NOT NULL
) WITH (fillfactor = 70);

-- The ledger checks that were run with `market ledger check`, for metrics and alerts. Rows are written once.
CREATE TABLE ledger_checks (
  checked_at  timestamptz PRIMARY KEY DEFAULT clock_timestamp(),
  is_full     boolean NOT NULL,
  failed      text[] NOT NULL
);
COMMENT ON COLUMN ledger_checks.failed IS 'Names of the proofs that failed; empty: the ledger is consistent';
CREATE TRIGGER ledger_checks_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_checks
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

GRANT SELECT, INSERT ON ledger_digests TO market_app;
GRANT SELECT ON ledger_proven_days, account_openings TO market_app;
GRANT SELECT, INSERT ON ledger_checks TO market_app;

-- migrate:down

DROP TABLE ledger_checks;
DROP TABLE account_openings;
DROP TABLE ledger_proven_days;
DROP TABLE ledger_digests;
