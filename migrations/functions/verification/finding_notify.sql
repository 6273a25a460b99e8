-- Writes a notice for the owner of a finding: a waiver, its end, or a refused contest.
-- Called by: src/stores/verification/contests.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION finding_notify(developer text, kind text, agent text, data jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF kind NOT IN ('finding_waived', 'contest_refused', 'waiver_ended') THEN
    RAISE EXCEPTION '% is not a notice of a finding', kind USING ERRCODE = '23514';
  END IF;
  PERFORM bond_notify(developer, kind, NULL, agent, data, now());
END $$;

REVOKE ALL ON FUNCTION finding_notify FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION finding_notify TO market_app;
