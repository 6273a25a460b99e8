-- Returns what the listing status needs of a bond: the tier, which caps the badge; an open shortfall and its deadline;
-- and whether the shortfall hides the agents, which it does after the deadline.
-- Called by: agent_standing_write, src/stores/verification/trust-reports.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION bond_standing(developer text,
  OUT tier text, OUT shortfall_since timestamptz, OUT shortfall_deadline timestamptz, OUT hides boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  SELECT b.tier, b.shortfall_since, b.shortfall_deadline, b.shortfall_ended_at IS NOT NULL
    INTO tier, shortfall_since, shortfall_deadline, hides FROM bonds b WHERE b.developer_user_id = developer;
  hides := coalesce(hides, false);
END $$;
