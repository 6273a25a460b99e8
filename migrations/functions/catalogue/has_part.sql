-- Whether a text contains another. Its cost, which an inlined expression would not have, keeps plans from reading each
-- version for it: the texts are long, and the index on their pairs of characters finds the candidates.
-- Called by: src/stores/catalogue/search/matching.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION has_part(text, part text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL RESTRICTED COST 5000
  AS $$ BEGIN RETURN strpos($1, part) > 0; END $$;
