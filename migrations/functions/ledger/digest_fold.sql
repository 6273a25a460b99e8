-- Makes one step of a digest: the hash of the state so far (at the beginning: `start`) and the next line.
-- Called by: digest_chain.
-- Locks: none.
CREATE OR REPLACE FUNCTION digest_fold(state bytea, line text, start bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN sha256(coalesce(state, start) || convert_to(line, 'UTF8'));
