/** A developer whose wallet is frozen is paid nothing: earnings stay where they are, and a later Monday takes them. */
exports.up = (knex) =>
  knex.raw(`
  ALTER FUNCTION payout_reserve(text, timestamptz, integer, bigint, text[], text) RENAME TO payout_reserve_thawed;
  REVOKE ALL ON FUNCTION payout_reserve_thawed FROM market_app;

  CREATE FUNCTION payout_reserve(
    developer text, monday timestamptz, attempt_no integer, tax_free_units bigint, open_rails text[], trace text
  ) RETURNS SETOF payouts
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    IF NOT wallet_is_frozen(developer) THEN
      RETURN QUERY SELECT p.* FROM payout_reserve_thawed(developer, monday, attempt_no, tax_free_units, open_rails, trace) p;
    END IF;
  END $$;
  REVOKE ALL ON FUNCTION payout_reserve FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION payout_reserve TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION payout_reserve;
  ALTER FUNCTION payout_reserve_thawed RENAME TO payout_reserve;
  GRANT EXECUTE ON FUNCTION payout_reserve TO market_app;
`);
