-- Whether a word is of a script without spaces between words, or Korean; plain_words has such words apart.
-- Called by: intent_words, parts_query, search_stems, vocabulary_of, word_parts.
-- Locks: none.
CREATE OR REPLACE FUNCTION is_unspaced(word text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT $1 ~ '^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]' $$;
