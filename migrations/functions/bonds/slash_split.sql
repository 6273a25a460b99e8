-- Splits the amount of a slash over its calls by what is left of each charge, largest remainders first. A call gets at
-- most what is left of its charge, so the parts sum to the amount or, if that is less, to what is left of all charges.
-- Returns the sum.
-- Called by: slash_refund.
-- Locks: none of its own; the caller holds those of slash_refund.
CREATE OR REPLACE FUNCTION slash_split(slash slashes) RETURNS bigint
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  WITH now_left AS (
    SELECT c.invocation_id, coalesce(w.units, 0) AS units FROM slash_calls c
    LEFT JOIN slash_weights(ARRAY(SELECT k.invocation_id FROM slash_calls k WHERE k.slash_id = slash.slash_id)) w
      ON w.invocation = c.invocation_id WHERE c.slash_id = slash.slash_id
  ), whole AS (
    SELECT sum(units) AS total, least(slash.amount_units, sum(units)) AS paid FROM now_left
  ), exact AS (
    SELECT n.invocation_id, w.paid * n.units::numeric AS product, greatest(w.total, 1) AS total, w.paid
    FROM now_left n, whole w
  ), shares AS (
    SELECT invocation_id, div(product, total) AS share,
      row_number() OVER (ORDER BY mod(product, total) DESC, invocation_id) AS place,
      paid - sum(div(product, total)) OVER () AS left_over FROM exact
  ), refunded AS (
    UPDATE slash_calls c SET refund_units = s.share + CASE WHEN s.place <= s.left_over THEN 1 ELSE 0 END
      FROM shares s WHERE c.slash_id = slash.slash_id AND c.invocation_id = s.invocation_id RETURNING c.refund_units
  )
  SELECT coalesce(sum(refund_units), 0)::bigint FROM refunded
$$;

REVOKE ALL ON FUNCTION slash_split FROM PUBLIC, market_app;
