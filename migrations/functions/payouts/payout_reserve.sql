-- Makes one step in reserving a developer's payout of a Monday: takes whole the next lots that have matured by then, at
-- most about `chunk`, in the first step also the carries, and moves them to payout_clearing. The payout is `reserving`
-- until the step that finds no more lots, which makes it `pending`: the caller repeats the call until then. What is
-- less than the smallest currency unit stays in payable as a carry. A payout that has to wait is written as rolled_over
-- with its reason; when only a later step finds the reason, the payout fails with it, and returns what it took as a
-- carry. A repetition after the end returns the same row; no row when there is nothing to pay or the wallet is frozen.
--   destination '':       lots of all agents but `agents`, carries of all payouts but those to `addresses`
--   destination address:  lots of `agents` (their price was set in USD), and carries of payouts to that address
-- The caller names agents and addresses, because registrations are documents.
-- Called by: src/stores/payouts/payouts.ts.
-- Locks: the developer's payable, then, shared, the advisory lock of the file.
CREATE OR REPLACE FUNCTION payout_reserve(
  developer text, monday timestamptz, attempt_no integer, tax_free_units bigint, open_rails text[], trace text,
  destination text DEFAULT '', agents text[] DEFAULT '{}', addresses text[] DEFAULT '{}', chunk integer DEFAULT 2000
) RETURNS SETOF payouts
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  made payouts%ROWTYPE;
  place payout_cursors%ROWTYPE;
  chosen record;
  is_new boolean;
  taken bigint;
  payable_ids bigint[] := ARRAY[ledger_account(developer, 'payable')];
BEGIN
  PERFORM ledger_lock(payable_ids);
  SELECT p.* INTO made FROM payouts p
    WHERE p.developer_user_id = developer AND p.as_of = monday AND p.attempt = attempt_no AND p.pay_to = destination;
  is_new := NOT FOUND;
  IF is_new AND wallet_is_frozen(developer) THEN
    RETURN;
  ELSIF made.status <> 'reserving' THEN
    RETURN NEXT made;
    RETURN;
  END IF;
  place := payout_position(developer, destination, agents, monday || '/' || attempt_no);
  SELECT * INTO chosen FROM payout_choose_lots(place, monday, chunk);
  -- After the lots: their credits have committed with them, and are in the balance now.
  PERFORM ledger_roll_up_locked(payable_ids);
  taken := chosen.units;
  IF is_new THEN
    SELECT coalesce(sum(c.amount_units - c.recovered_units), 0) INTO made.carried_units
      FROM payout_open_carries(developer, destination, addresses, monday) c;
    taken := taken + made.carried_units;
    made := payout_begin(made, developer, monday, attempt_no, destination, trace);
    IF taken = 0 THEN
      PERFORM payout_move_on(place, chosen.next_at, chosen.next_id, chosen.passed_ids, chosen.is_last);
      IF NOT chosen.is_last THEN
        RETURN NEXT made;
      END IF;
      RETURN;
    END IF;
  END IF;
  made.lots_units := made.lots_units + chosen.units;
  made.lots := made.lots + cardinality(chosen.lot_ids);
  made.lots_from := least(made.lots_from, chosen.first_at);
  made.lots_until := greatest(made.lots_until, chosen.last_at);
  made.amount_units := made.lots_units + made.carried_units;
  made := payout_terms(made, tax_free_units, open_rails);
  IF is_new AND made.reason IS NOT NULL AND (chosen.is_last OR made.reason <> 'below_minimum') THEN
    IF NOT chosen.is_last THEN
      made.lots_units := made.lots_units + payout_waiting_units(place, monday, chosen.next_at, chosen.next_id);
    END IF;
    made.lots := 0;
    made.amount_units := made.lots_units + made.carried_units;
    made.status := 'rolled_over';
    made.completed_at := made.initiated_at;
    INSERT INTO payouts SELECT made.*;
    RETURN NEXT made;
    RETURN;
  END IF;
  -- A reason that more lots do not change ends the reservation at once.
  chosen.is_last := chosen.is_last OR coalesce(made.reason, 'below_minimum') <> 'below_minimum';
  RETURN NEXT payout_take(made, is_new, taken, chosen.lot_ids, chosen.is_last, addresses);
  PERFORM payout_move_on(place, chosen.next_at, chosen.next_id, chosen.passed_ids, chosen.is_last);
END $$;

REVOKE ALL ON FUNCTION payout_reserve FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_reserve TO market_app;
