-- Returns a payout with its method, rate and amount, or with the reason why it has to wait (`reason`). A payout to an
-- address (`pay_to`) uses the rail of the chain; any other uses the developer's newest method.
-- Called by: payout_reserve.
-- Locks: shared, the advisory lock of the file.
CREATE OR REPLACE FUNCTION payout_terms(made payouts, tax_free_units bigint, open_rails text[]) RETURNS payouts
LANGUAGE plpgsql AS $$
DECLARE
  way payout_methods%ROWTYPE;
  rail payout_rails%ROWTYPE;
  spot fx_rates%ROWTYPE;
  total bigint := made.amount_units;
  paid_this_year bigint;
BEGIN
  IF made.pay_to = '' THEN
    SELECT m.* INTO way FROM payout_methods m WHERE m.developer_user_id = made.developer_user_id
      ORDER BY m.method_id DESC LIMIT 1;
  ELSE
    SELECT r.method INTO way.method FROM payout_rails r WHERE r.channel = 'chain';
  END IF;
  SELECT r.* INTO rail FROM payout_rails r WHERE r.method = way.method;
  made.method := way.method;
  made.method_id := way.method_id;
  made.currency := rail.currency;
  IF way.method IS NULL THEN
    made.reason := 'no_payout_method';
    RETURN made;
  ELSIF NOT way.method = ANY (open_rails) THEN
    made.reason := 'method_unavailable';
    RETURN made;
  ELSIF way.returned_at IS NOT NULL THEN
    made.reason := 'method_returned';
    RETURN made;
  ELSIF total < rail.minimum_units THEN
    made.reason := 'below_minimum';
    RETURN made;
  END IF;
  -- payout_file_write holds this lock while it writes, so that no payout becomes pending behind its back.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended(
    way.method || to_char(made.as_of AT TIME ZONE 'UTC', '-YYYYMMDD-') || made.attempt, 92));
  IF EXISTS (SELECT FROM payout_files f
                WHERE f.method = way.method AND f.as_of = made.as_of AND f.attempt = made.attempt)
     OR rail.channel = 'chain' AND EXISTS (SELECT FROM payout_transfers t
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
  IF rail.rate_quote IS NOT NULL THEN
    SELECT r.* INTO spot FROM fx_rates r WHERE r.base = 'USD' AND r.quote = rail.rate_quote AND r.observed_at <= made.as_of
      AND r.observed_at > made.as_of - interval '168 hours' ORDER BY r.observed_at DESC LIMIT 1;
    IF spot.rate_id IS NULL THEN
      made.reason := 'no_exchange_rate';
      RETURN made;
    END IF;
    made.spot_rate := spot.rate;
    -- A credit was bought for at most one rupee, and is paid out for at most one (ADR 0303).
    made.rate := least(spot.rate * 0.995, 100);
    made.rate_at := spot.observed_at;
  END IF;
  made.amount_minor := payout_minor(total, rail.minor_per_credit, made.rate);
  made.amount_units := payout_used_units(total, rail.minor_per_credit, made.rate);
  made.remainder_units := total - made.amount_units;
  RETURN made;
END $$;

REVOKE ALL ON FUNCTION payout_terms FROM PUBLIC, market_app;
