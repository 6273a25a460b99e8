-- Writes a notice for a developer whose payout has rolled over because the developer has to act: it has no usable method,
-- or needs a tax form. The next Mondays write none while the reason stays the same, nor does an amount that no method pays.
-- Called by: trigger payouts_waiting_notice on payouts.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_waits_noted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF NEW.amount_units >= (SELECT min(r.minimum_units) FROM payout_rails r)
     AND NEW.reason IS DISTINCT FROM (SELECT p.reason FROM payouts p
       WHERE p.developer_user_id = NEW.developer_user_id AND p.pay_to = NEW.pay_to AND p.payout_id <> NEW.payout_id
         AND (p.as_of, p.attempt) < (NEW.as_of, NEW.attempt)
       ORDER BY p.as_of DESC, p.attempt DESC LIMIT 1) THEN
    PERFORM notice_record('payout.waiting', jsonb_build_object('payout_id', NEW.payout_id,
      'credits', event_credits(NEW.amount_units), 'reason', NEW.reason), ARRAY[NEW.developer_user_id], NULL);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION payout_waits_noted FROM PUBLIC, market_app;
