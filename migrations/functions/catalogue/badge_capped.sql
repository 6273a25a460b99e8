-- Returns the lower of two badges; null when either is null.
-- Called by: agent_standing_write, src/stores/verification/trust-reports.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION badge_capped(earned text, cap text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (ARRAY['basic', 'standard', 'premium'])[least(
    array_position(ARRAY['basic', 'standard', 'premium'], earned),
    array_position(ARRAY['basic', 'standard', 'premium'], cap))]
$$;
