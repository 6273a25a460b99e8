-- The words of a text in their order: in lower case, with one form for each character (NFKC), at most 64 characters long.
-- Scripts without spaces between words stand apart from others. C++ and C# keep their signs. Separators are listed, because
-- classes of characters depend on the collation of the database.
-- Called by: intent_words, parts_query, search_terms_of, tool_terms_of.
-- Locks: none.
CREATE OR REPLACE FUNCTION plain_words(text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT coalesce(array_agg(ltrim(word, '+#') ORDER BY place), '{}')
      FROM regexp_split_to_table(
        regexp_replace(normalize(lower($1 COLLATE "pg_c_utf8"), NFKC),
          '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+)',
          ' \1 ', 'g'),
        '[\u0001-\u0022\u0024-\u002a\u002c-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u060c\u061b\u061f\u2000-\u206f\u3000-\u3004\u3008-\u303f\u30fb\uff00-\uff0f]+'
      ) WITH ORDINALITY AS w (word, place)
     WHERE length(ltrim(word, '+#')) BETWEEN 1 AND 64
  $$;
