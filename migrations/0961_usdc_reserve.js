/**
 * With the USDC rail open, a developer's Monday may have several payouts: one for each address that agents with a price
 * in USD name (`pay_to`), over the lots of those agents, and one by the developer's own method over all others. Who
 * calls says which agents those are, since registrations are documents:
 *
 *   destination '':       lots of all agents but `agents`, carries of all payouts but those to `addresses`
 *   destination address:  lots of `agents`, and what an earlier payout to that address gave back
 *
 * Without the rail nobody names agents or addresses, and everything goes by the developer's own method. The functions
 * of before stay under other names, for the way down.
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER FUNCTION payout_reserve(text, timestamptz, integer, bigint, text[], text) RENAME TO payout_reserve_by_method;
  REVOKE ALL ON FUNCTION payout_reserve_by_method FROM market_app;
  ALTER FUNCTION payout_terms RENAME TO payout_terms_by_method;

  CREATE FUNCTION payout_terms(made payouts, tax_free_units bigint, open_rails text[]) RETURNS payouts
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    way payout_methods%ROWTYPE;
    spot fx_rates%ROWTYPE;
    total bigint := made.amount_units;
    paid_this_year bigint;
  BEGIN
    IF made.pay_to = '' THEN
      SELECT m.* INTO way FROM payout_methods m WHERE m.developer_user_id = made.developer_user_id
        ORDER BY m.method_id DESC LIMIT 1;
    ELSE
      way.method := 'usdc';
    END IF;
    made.method := way.method;
    made.method_id := way.method_id;
    made.currency := CASE way.method WHEN 'upi' THEN 'INR' WHEN 'usdc' THEN 'USDC' ELSE 'USD' END;
    IF way.method IS NULL THEN
      made.currency := NULL;
      made.reason := 'no_payout_method';
      RETURN made;
    ELSIF NOT way.method = ANY (open_rails) THEN
      made.reason := 'method_unavailable';
      RETURN made;
    ELSIF total < payout_minimum_units(way.method) THEN
      made.reason := 'below_minimum';
      RETURN made;
    ELSIF EXISTS (SELECT FROM payout_files f
                  WHERE f.method = way.method AND f.as_of = made.as_of AND f.attempt = made.attempt)
       OR way.method = 'usdc' AND EXISTS (SELECT FROM payout_transfers t
                  WHERE t.as_of = made.as_of AND t.attempt = made.attempt) THEN
      made.reason := 'run_closed';
      RETURN made;
    END IF;
    SELECT coalesce(sum(p.amount_units), 0) INTO paid_this_year FROM payouts p
      WHERE p.developer_user_id = made.developer_user_id AND p.status IN ('pending', 'processing', 'paid')
        AND date_trunc('year', p.as_of, 'UTC') = date_trunc('year', made.as_of, 'UTC');
    IF paid_this_year + total > tax_free_units AND coalesce((SELECT f.status FROM tax_forms f
         WHERE f.developer_user_id = made.developer_user_id ORDER BY f.form_id DESC LIMIT 1), '') <> 'accepted' THEN
      made.reason := 'tax_form_required';
      RETURN made;
    END IF;
    IF way.method = 'upi' THEN
      SELECT r.* INTO spot FROM fx_rates r WHERE r.base = 'USD' AND r.quote = 'INR' AND r.observed_at <= made.as_of
        AND r.observed_at > made.as_of - interval '168 hours' ORDER BY r.observed_at DESC LIMIT 1;
      IF spot.rate_id IS NULL THEN
        made.reason := 'no_exchange_rate';
        RETURN made;
      END IF;
      made.spot_rate := spot.rate;
      made.rate := spot.rate * 0.995;
      made.rate_at := spot.observed_at;
    END IF;
    made.amount_minor := payout_minor(total, way.method, made.rate);
    made.amount_units := payout_used_units(total, way.method, made.rate);
    made.remainder_units := total - made.amount_units;
    RETURN made;
  END $$;

  -- What payouts to an address give back goes to that address again, while an agent names it.
  CREATE FUNCTION payout_open_carries(developer text, destination text, addresses text[]) RETURNS SETOF payout_carries
  LANGUAGE sql STABLE AS $$
    SELECT c.* FROM payout_carries c JOIN payouts p USING (payout_id)
    WHERE c.developer_user_id = developer AND c.into_payout_id IS NULL
      AND CASE destination WHEN '' THEN NOT p.pay_to = ANY (addresses) ELSE p.pay_to = destination END
  $$;

  CREATE FUNCTION payout_reserve(
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
      FROM payout_open_carries(developer, destination, addresses) c;
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
        FROM payout_open_carries(developer, destination, addresses) o
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

  REVOKE ALL ON FUNCTION payout_reserve, payout_terms, payout_open_carries FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION payout_reserve TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION payout_reserve, payout_terms, payout_open_carries;
  ALTER FUNCTION payout_terms_by_method RENAME TO payout_terms;
  ALTER FUNCTION payout_reserve_by_method RENAME TO payout_reserve;
  GRANT EXECUTE ON FUNCTION payout_reserve TO market_app;
`);
