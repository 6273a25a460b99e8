-- The share of successes that an agent has at least, as far as its calls show it: the lower end of the Wilson interval of
-- one standard error, over the calls and five further ones of which 90% succeeded. Few calls prove little, so an agent
-- without calls stands between one that fails and one that has proved itself. success_rate is null without calls.
-- Called by: src/stores/catalogue/listing-search.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION success_bound(calls integer, success_rate numeric) RETURNS double precision
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT (p + 1 / (2 * n) - sqrt(p * (1 - p) / n + 1 / (4 * n * n))) / (1 + 1 / n)
      FROM (SELECT counted + 5 AS n, (coalesce($2, 0) * counted + 4.5) / (counted + 5) AS p
              FROM (SELECT CASE WHEN $2 IS NULL THEN 0 ELSE coalesce($1, 0) END::double precision AS counted) c) s
  $$;
