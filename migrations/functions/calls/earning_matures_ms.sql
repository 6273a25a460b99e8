-- How long the earnings of a call wait before they mature. terms: matures_after_ms and, for a buyer who may be new,
-- new_pair_ms and new_topup_ms. Earnings of a new buyer mature after new_pair_ms unless the developer was paid before.
-- With new_topup_ms, a buyer whose first top-up is older is not new, and neither is one without a top-up; without it,
-- the buyer is new in any case.
-- Called by: invocation_refund, invocation_settle.
-- Locks: none.
CREATE OR REPLACE FUNCTION earning_matures_ms(id text, terms jsonb) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  usual_ms  bigint := (terms ->> 'matures_after_ms')::bigint;
  new_ms    bigint := (terms ->> 'new_pair_ms')::bigint;
  old_topup timestamptz := now() - (terms ->> 'new_topup_ms')::bigint * interval '1 millisecond';
BEGIN
  IF new_ms IS NULL THEN RETURN usual_ms; END IF;
  RETURN (SELECT CASE
      WHEN EXISTS (SELECT FROM payouts p WHERE p.developer_user_id = i.developer_user_id AND p.status = 'paid')
        OR old_topup IS NOT NULL AND
          (EXISTS (SELECT FROM topups t WHERE t.user_id = i.buyer_user_id AND t.status = 'succeeded'
              AND t.completed_at <= old_topup)
           OR NOT EXISTS (SELECT FROM topups t WHERE t.user_id = i.buyer_user_id AND t.status = 'succeeded'))
      THEN usual_ms ELSE new_ms END
    FROM invocations i WHERE i.invocation_id = id);
END $$;

REVOKE ALL ON FUNCTION earning_matures_ms FROM PUBLIC, market_app;
