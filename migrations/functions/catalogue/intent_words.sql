-- The words of an intent, in their order: a label that people read, the terms that agents have for it, those of its parts if
-- it is long, and in how many agents its commonest term stands (0: in none). Words that the language of the intent does
-- not count, such as "the", are left out. That language is the one that counts fewest of its words; stems are made in it
-- and in English, or in each language if no word decides. Parts are rows of one label.
-- Called by: src/stores/catalogue/search/intent-search.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION intent_words(intent text) RETURNS TABLE (label text, terms text[], parts text[], agents integer)
  LANGUAGE sql STABLE PARALLEL SAFE
  AS $$
    WITH dictionaries AS (
      SELECT unnest('{english_stem,german_stem,french_stem,spanish_stem,portuguese_stem,italian_stem,dutch_stem,
        swedish_stem,danish_stem,norwegian_stem,finnish_stem,hungarian_stem,turkish_stem,romanian_stem,russian_stem,
        arabic_stem,greek_stem}'::regdictionary[]) AS language
    ), words AS (
      SELECT word, min(place) AS place FROM unnest(plain_words(intent)) WITH ORDINALITY AS w (word, place)
       GROUP BY word ORDER BY place LIMIT 64
    ), uncounted AS (
      SELECT word, language FROM words, dictionaries WHERE NOT is_unspaced(word) AND ts_lexize(language, word) = '{}'
    ), languages AS (
      SELECT language FROM (SELECT language, rank() OVER (ORDER BY count(*) DESC) AS nth FROM uncounted GROUP BY language) c
       WHERE nth = 1
    ), stemming AS MATERIALIZED (
      SELECT array_agg(language) AS languages FROM (
        SELECT language FROM languages UNION SELECT 'english_stem'::regdictionary
        UNION SELECT language FROM dictionaries WHERE NOT EXISTS (SELECT FROM languages)) l
    ), rows AS (
      SELECT place, 1 AS nth, word AS label, ARRAY(
          SELECT without_accents(word)
          UNION SELECT without_accents(stem) FROM unnest(s.languages) language, unnest(ts_lexize(language, word)) stem) AS terms,
        ARRAY(SELECT DISTINCT without_accents(stem) FROM unnest(word_parts(ARRAY[word])) part, unnest(s.languages) language,
          unnest(ts_lexize(language, part)) stem WHERE language <> 'english_stem'::regdictionary) AS parts
        FROM words, stemming s
       WHERE NOT is_unspaced(word) AND NOT EXISTS (SELECT FROM uncounted u JOIN languages USING (language) WHERE u.word = words.word)
      UNION ALL
      SELECT place, (row_number() OVER (PARTITION BY place))::integer, run, ARRAY[gram], '{}'
        FROM words CROSS JOIN LATERAL unspaced_grams(word) WHERE is_unspaced(word)
    )
    SELECT r.label, r.terms, r.parts, coalesce(
        (SELECT max(n) FROM (
           SELECT sum(c.agents) AS n FROM unnest('{n:,g:,d:,s:}'::text[]) l (letter) CROSS JOIN unnest(r.terms) t (term)
             JOIN search_term_counts c ON c.term = l.letter || t.term GROUP BY l.letter) f),
        EXISTS (SELECT FROM agent_search a
                 WHERE a.terms @@ search_query(r.terms, '{n:,g:,d:,s:,p:}') AND a.listed)::integer)::integer
      FROM rows r ORDER BY r.place, r.nth
  $$;
