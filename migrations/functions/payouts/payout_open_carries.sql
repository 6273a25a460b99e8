-- Returns the carries that a payout of a Monday to this destination takes along, never those of a later
-- Monday. A carry of a payout to an address goes to that address again, as long as an agent names it; else it goes to
-- the developer's own method.
-- Called by: payout_reserve, payout_take.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_open_carries(developer text, destination text, addresses text[], monday timestamptz)
RETURNS SETOF payout_carries
LANGUAGE sql STABLE AS $$
  SELECT c.* FROM payout_carries c JOIN payouts p USING (payout_id)
  WHERE c.developer_user_id = developer AND c.into_payout_id IS NULL AND p.as_of <= monday
    AND CASE destination WHEN '' THEN NOT p.pay_to = ANY (addresses) ELSE p.pay_to = destination END
$$;

REVOKE ALL ON FUNCTION payout_open_carries FROM PUBLIC, market_app;
