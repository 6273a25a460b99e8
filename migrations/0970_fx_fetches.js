/**
 * What the source of exchange rates answered, for operators: a row for each change. A look that ended as the one before
 * it (the same outcome, reason and rate) is only counted, so that an hourly look at a daily document stays readable.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE fx_fetches (
    fetch_id     text PRIMARY KEY CHECK (fetch_id ~ '^fxf_[0-9a-f]{32}$'),
    source       text NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
    outcome      text NOT NULL CHECK (outcome IN ('loaded', 'unchanged', 'stale', 'rejected', 'failed')),
    reason       text CHECK (length(reason) <= 40),
    message      text CHECK (length(message) <= 300),
    rate         numeric(14, 6),
    observed_at  timestamptz,
    first_at     timestamptz NOT NULL DEFAULT now(),
    last_at      timestamptz NOT NULL DEFAULT now(),
    times        integer NOT NULL DEFAULT 1 CHECK (times > 0),
    CONSTRAINT fx_fetches_why CHECK ((reason IS NULL) = (outcome IN ('loaded', 'unchanged')))
  );
  COMMENT ON COLUMN fx_fetches.rate IS 'What the source said, also when it was not loaded';
  COMMENT ON COLUMN fx_fetches.times IS 'Looks in a row that ended so';

  CREATE FUNCTION fx_fetch_record(
    new_id text, from_source text, how text, why text, words text, said numeric, of_time timestamptz
  ) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('fx_fetches'));
    UPDATE fx_fetches f SET last_at = now(), times = f.times + 1
      WHERE f.fetch_id = (SELECT max(l.fetch_id) FROM fx_fetches l)
        AND (f.source, f.outcome, f.reason, f.message, f.rate, f.observed_at)
          IS NOT DISTINCT FROM (from_source, how, why, words, said::numeric(14, 6), of_time);
    IF NOT FOUND THEN
      INSERT INTO fx_fetches (fetch_id, source, outcome, reason, message, rate, observed_at)
      VALUES (new_id, from_source, how, why, words, said, of_time);
    END IF;
  END $$;

  REVOKE ALL ON FUNCTION fx_fetch_record FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION fx_fetch_record TO market_app;
  GRANT SELECT ON fx_fetches TO market_app;
`);

exports.down = (knex) => knex.raw('DROP FUNCTION fx_fetch_record; DROP TABLE fx_fetches;');
