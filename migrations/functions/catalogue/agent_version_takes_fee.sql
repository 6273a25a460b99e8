-- Copies the platform's fee of today onto a version that goes live. The version keeps it: a later change of the rate
-- counts for versions that go live after it (ADR 0050).
-- Called by: trigger agent_version_takes_fee on agent_versions.
-- Locks: none.
CREATE OR REPLACE FUNCTION agent_version_takes_fee() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  SELECT s.fee_percent INTO STRICT NEW.fee_percent FROM platform_settings s;
  RETURN NEW;
END $$;
