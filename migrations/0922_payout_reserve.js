/**
 * payout_reserve: one developer's share of a Monday. It locks payable, takes the lots that have matured by that Monday
 * and the carries, whole, and moves them to payout_clearing (reference payout/<id>/reserve); what is less than the
 * rail's smallest unit stays in payable as a carry. What may not be paid yet is written down as rolled_over with its
 * reason. A repetition returns the same row; NULL when there is nothing to pay.
 */
exports.up = (knex) =>
  knex.raw(`
  -- Specification, Payouts: 1000, 5000, 500 and 1000 credits.
  CREATE FUNCTION payout_minimum_units(method text) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE method WHEN 'ach' THEN 100000 WHEN 'swift' THEN 500000 WHEN 'upi' THEN 50000 WHEN 'usdc' THEN 100000 END;

  -- Smallest units of the currency that these units buy at the value of a credit, USD 0.01: cents, paise at the rate,
  -- millionths of USDC. Exact, rounded down.
  CREATE FUNCTION payout_minor(units bigint, method text, rate numeric) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE method WHEN 'usdc' THEN units * 100 WHEN 'upi' THEN floor(units * rate / 100) ELSE units / 100 END;

  -- The fewest units that buy the same.
  CREATE FUNCTION payout_used_units(units bigint, method text, rate numeric) RETURNS bigint
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
  DECLARE
    minor bigint := payout_minor(units, method, rate);
    used bigint := CASE method WHEN 'usdc' THEN units WHEN 'upi' THEN ceil(minor * 100 / rate) ELSE minor * 100 END;
  BEGIN
    WHILE payout_minor(used, method, rate) < minor LOOP used := used + 1; END LOOP;
    WHILE used > 0 AND payout_minor(used - 1, method, rate) >= minor LOOP used := used - 1; END LOOP;
    RETURN used;
  END $$;

  -- Method, rate and amount of a payout over amount_units, or why it has to wait.
  CREATE FUNCTION payout_terms(made payouts, tax_free_units bigint, open_rails text[]) RETURNS payouts
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    way payout_methods%ROWTYPE;
    spot fx_rates%ROWTYPE;
    total bigint := made.amount_units;
    paid_this_year bigint;
  BEGIN
    SELECT m.* INTO way FROM payout_methods m WHERE m.developer_user_id = made.developer_user_id
      ORDER BY m.method_id DESC LIMIT 1;
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
                  WHERE f.method = way.method AND f.as_of = made.as_of AND f.attempt = made.attempt) THEN
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

  CREATE FUNCTION payout_post_reserve(made payouts) RETURNS text
  LANGUAGE plpgsql AS $$
  DECLARE
    payable_id bigint := ledger_account(made.developer_user_id, 'payable');
    account_ids bigint[] := ARRAY[payable_id];
    entry_types text[] := ARRAY['payout'];
    amounts bigint[] := ARRAY[-(made.amount_units + made.remainder_units)];
  BEGIN
    IF made.remainder_units > 0 THEN
      account_ids := account_ids || payable_id;
      entry_types := entry_types || 'payout_remainder'::text;
      amounts := amounts || made.remainder_units;
    END IF;
    RETURN ledger_post('payout', 'payout/' || made.payout_id || '/reserve', NULL, NULL,
      'Payout ' || made.payout_id, made.trace_id, account_ids || 3::bigint, entry_types || 'payout'::text,
      amounts || made.amount_units);
  END $$;

  CREATE FUNCTION payout_event(event_type text, made payouts) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM event_record(event_type, jsonb_strip_nulls(jsonb_build_object(
      'payout_id', made.payout_id, 'status', made.status, 'credits', made.amount_units / 100.0, 'method', made.method,
      'amount_minor', made.amount_minor, 'currency', made.currency, 'reason', made.reason,
      'period_end', to_char(made.as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
      ARRAY[made.developer_user_id]);
  END $$;

  CREATE FUNCTION payout_reserve(
    developer text, monday timestamptz, attempt_no integer, tax_free_units bigint, open_rails text[], trace text
  ) RETURNS SETOF payouts
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    made payouts%ROWTYPE;
    payable_ids bigint[] := ARRAY[ledger_account(developer, 'payable')];
    lot_ids text[];
  BEGIN
    PERFORM ledger_lock(payable_ids);
    SELECT p.* INTO made FROM payouts p
      WHERE p.developer_user_id = developer AND p.as_of = monday AND p.attempt = attempt_no;
    IF FOUND THEN
      RETURN NEXT made;
      RETURN;
    END IF;
    SELECT array_agg(l.invocation_id), coalesce(sum(l.open_units), 0) INTO lot_ids, made.lots_units FROM (
      SELECT e.invocation_id, e.net_units - e.recovered_units AS open_units FROM earnings e
      WHERE e.developer_user_id = developer AND e.payout_id IS NULL AND e.matures_at <= monday AND NOT e.dispute_open
        AND e.recovered_units < e.net_units ORDER BY e.matures_at, e.invocation_id LIMIT 50000) l;
    SELECT coalesce(sum(c.amount_units - c.recovered_units), 0) INTO made.carried_units FROM payout_carries c
      WHERE c.developer_user_id = developer AND c.into_payout_id IS NULL;
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
    made := payout_terms(made, tax_free_units, open_rails);
    IF made.reason IS NOT NULL THEN
      made.status := 'rolled_over';
      made.completed_at := made.initiated_at;
    END IF;
    INSERT INTO payouts SELECT made.*;
    IF made.status = 'pending' THEN
      UPDATE earnings e SET payout_id = made.payout_id WHERE e.invocation_id = ANY (lot_ids);
      UPDATE payout_carries c SET into_payout_id = made.payout_id
        WHERE c.developer_user_id = developer AND c.into_payout_id IS NULL;
      IF made.remainder_units > 0 THEN
        INSERT INTO payout_carries (payout_id, kind, developer_user_id, amount_units)
        VALUES (made.payout_id, 'remainder', developer, made.remainder_units);
      END IF;
      PERFORM payout_post_reserve(made);
      PERFORM payout_event('payout.initiated', made);
    END IF;
    RETURN NEXT made;
  END $$;

  REVOKE ALL ON FUNCTION payout_reserve, payout_event, payout_post_reserve, payout_terms, payout_used_units,
    payout_minor, payout_minimum_units FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION payout_reserve TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION payout_reserve, payout_event, payout_post_reserve, payout_terms, payout_used_units, payout_minor,
    payout_minimum_units;
`);
