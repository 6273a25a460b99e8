-- Splits the amount of a slash over its calls by what is left of each charge, largest remainders first, so that the
-- parts sum to the amount exactly. When all charges have been returned since, the weights of the time of the slash
-- count.
-- Called by: slash_refund.
-- Locks: none of its own; the caller holds those of slash_refund.
CREATE OR REPLACE FUNCTION slash_split(slash slashes) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  WITH now_left AS (
    SELECT c.invocation_id, c.weight_units, coalesce(w.units, 0) AS units FROM slash_calls c
    LEFT JOIN slash_weights(ARRAY(SELECT k.invocation_id FROM slash_calls k WHERE k.slash_id = slash.slash_id)) w
      ON w.invocation = c.invocation_id WHERE c.slash_id = slash.slash_id
  ), weighed AS (
    SELECT invocation_id, (CASE WHEN sum(units) OVER () > 0 THEN units ELSE weight_units END)::numeric AS weight
    FROM now_left
  ), exact AS (
    SELECT invocation_id, slash.amount_units * weight AS product, sum(weight) OVER () AS total FROM weighed
  ), shares AS (
    SELECT invocation_id, div(product, total) AS share,
      row_number() OVER (ORDER BY mod(product, total) DESC, invocation_id) AS place,
      slash.amount_units - sum(div(product, total)) OVER () AS left_over FROM exact
  )
  UPDATE slash_calls c SET refund_units = s.share + CASE WHEN s.place <= s.left_over THEN 1 ELSE 0 END
    FROM shares s WHERE c.slash_id = slash.slash_id AND c.invocation_id = s.invocation_id
$$;

REVOKE ALL ON FUNCTION slash_split FROM PUBLIC, market_app;
