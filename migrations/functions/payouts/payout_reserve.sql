-- Reserves one developer's payout of a Monday: takes whole the lots that have matured by then and the carries, and
-- moves them to payout_clearing. What is less than the smallest currency unit stays in payable as a carry. A payout
-- that has to wait is written as rolled_over with its reason. A repetition returns the same row; no row when there is
-- nothing to pay or the wallet is frozen.
--   destination '':       lots of all agents but `agents`, carries of all payouts but those to `addresses`
--   destination address:  lots of `agents` (their price was set in USD), and carries of payouts to that address
-- The caller names agents and addresses, because registrations are documents.
-- Called by: src/stores/payouts/payouts.ts.
-- Locks: the developer's payable.
CREATE OR REPLACE FUNCTION payout_reserve(
  developer text, monday timestamptz, attempt_no integer, tax_free_units bigint, open_rails text[], trace text,
  destination text DEFAULT '', agents text[] DEFAULT '{}', addresses text[] DEFAULT '{}'
) RETURNS SETOF payouts
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  made payouts%ROWTYPE;
  payable_ids bigint[] := ARRAY[ledger_account(developer, 'payable')];
  lot_ids text[];
BEGIN
  IF wallet_is_frozen(developer) THEN
    RETURN;
  END IF;
  PERFORM ledger_lock(payable_ids);
  SELECT p.* INTO made FROM payouts p
    WHERE p.developer_user_id = developer AND p.as_of = monday AND p.attempt = attempt_no AND p.pay_to = destination;
  IF FOUND THEN
    RETURN NEXT made;
    RETURN;
  END IF;
  SELECT array_agg(l.invocation_id), coalesce(sum(l.open_units), 0) INTO lot_ids, made.lots_units FROM (
    SELECT e.invocation_id, e.net_units - e.recovered_units AS open_units FROM earnings e
    WHERE e.developer_user_id = developer AND e.payout_id IS NULL AND e.matures_at <= monday AND NOT e.dispute_open
      AND e.recovered_units < e.net_units AND (e.agent_id = ANY (agents)) = (destination <> '')
    ORDER BY e.matures_at, e.invocation_id LIMIT 50000) l;
  SELECT coalesce(sum(c.amount_units - c.recovered_units), 0) INTO made.carried_units
    FROM payout_open_carries(developer, destination, addresses, monday) c;
  -- After the lots: their credits have committed with them, and are in the balance now.
  PERFORM ledger_roll_up_locked(payable_ids);
  made.amount_units := made.lots_units + made.carried_units;
  IF made.amount_units = 0 THEN
    RETURN;
  END IF;
  made.payout_id := ledger_new_id('pay');
  made.developer_user_id := developer;
  made.as_of := monday;
  made.attempt := attempt_no;
  made.period_start := monday - interval '168 hours';
  made.status := 'pending';
  made.remainder_units := 0;
  made.trace_id := trace;
  made.initiated_at := now();
  made.pay_to := destination;
  made := payout_terms(made, tax_free_units, open_rails);
  IF made.reason IS NOT NULL THEN
    made.status := 'rolled_over';
    made.completed_at := made.initiated_at;
  END IF;
  INSERT INTO payouts SELECT made.*;
  IF made.status = 'pending' THEN
    UPDATE earnings e SET payout_id = made.payout_id WHERE e.invocation_id = ANY (lot_ids);
    UPDATE payout_carries c SET into_payout_id = made.payout_id
      FROM payout_open_carries(developer, destination, addresses, monday) o
      WHERE c.payout_id = o.payout_id AND c.kind = o.kind;
    IF made.remainder_units > 0 THEN
      INSERT INTO payout_carries (payout_id, kind, developer_user_id, amount_units)
      VALUES (made.payout_id, 'remainder', developer, made.remainder_units);
    END IF;
    PERFORM payout_post_reserve(made);
    PERFORM payout_event('payout.initiated', made);
  END IF;
  RETURN NEXT made;
END $$;

REVOKE ALL ON FUNCTION payout_reserve FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_reserve TO market_app;
