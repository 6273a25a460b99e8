-- The pairs of neighbouring characters of a word in a script without spaces between words, such as Chinese, Japanese and
-- Thai; for Korean too, whose words carry their particles. Each run of one script counts by itself, because a pair of a
-- Japanese word and the particle behind it is not a word. A run of one character is itself a term.
-- Called by: intent_words, search_stems.
-- Locks: none.
CREATE OR REPLACE FUNCTION unspaced_grams(text) RETURNS TABLE (run text, gram text) LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT r.run, substr(r.run, place, 2)
      FROM (SELECT m[1] AS run FROM regexp_matches($1,
        '([\u3005-\u3007\u3400-\u9fff\uf900-\ufaff]+|[\u30a0-\u30ff]+|[\u3040-\u309f]+|[\uac00-\ud7af]+|[\u0e00-\u0eff]+|[\u1000-\u109f]+|[\u1780-\u17ff]+)',
        'g') m) r
      CROSS JOIN generate_series(1, greatest(length(r.run) - 1, 1)) place
  $$;
