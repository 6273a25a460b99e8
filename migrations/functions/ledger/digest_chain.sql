-- Folds lines into 32 bytes, one after the other, with digest_fold.
-- Called by: digest_between.
-- Locks: none.
CREATE OR REPLACE AGGREGATE digest_chain(line text, start bytea) (sfunc = digest_fold, stype = bytea);
