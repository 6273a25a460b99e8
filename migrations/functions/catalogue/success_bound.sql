-- The share of successes that an agent has at least, as far as its calls show it: the lower end of the Wilson interval of
-- one standard error, over the calls and five further ones of which 90% succeeded. Few calls prove little, so an agent
-- without calls stands between one that fails and one that has proved itself. success_rate is null without calls. With n
-- calls and s successes in all it is (s + 1/2 - sqrt(s (n - s) / n + 1/4)) / (n + 1), one expression, which plans inline.
-- Called by: src/stores/catalogue/search/intent-search.ts, src/stores/catalogue/search/listing-order.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION success_bound(calls integer, success_rate numeric) RETURNS double precision
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT (coalesce($2 * $1, 0)::double precision + 5.0::double precision
        - sqrt((coalesce($2 * $1, 0)::double precision + 4.5) * (coalesce((1 - $2) * $1, 0)::double precision + 0.5)
          / (coalesce($1 + 0 * $2, 0)::double precision + 5) + 0.25))
      / (coalesce($1 + 0 * $2, 0)::double precision + 6)
  $$;
