/**
 * Payments that a provider told of (contract, "Billing"). A payment credits its top-up once: events are unique by
 * their id, payments by theirs, and both are written in the transaction that credits. What does not fit the top-up is
 * quarantined: no credit, until an operator decides.
 *
 *   payment: credited | quarantined → resolved_credited | resolved_returned
 *
 * Outcomes of payment_record: credited | quarantined | repeated. Of payment_resolve: resolved | no_payment |
 * not_quarantined. Of payment_link_over: failed | unchanged.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE payment_events (
    provider     text NOT NULL CHECK (provider IN ('razorpay')),
    event_id     text NOT NULL CHECK (length(event_id) BETWEEN 1 AND 200),
    type         text NOT NULL CHECK (length(type) <= 100),
    payment_id   text CHECK (length(payment_id) <= 100),
    received_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (provider, event_id)
  );

  CREATE TABLE payments (
    payment_id         text PRIMARY KEY CHECK (length(payment_id) BETWEEN 1 AND 100),
    provider           text NOT NULL CHECK (provider IN ('razorpay')),
    reference          text CHECK (length(reference) <= 100),
    amount_minor       bigint NOT NULL CHECK (amount_minor BETWEEN 0 AND 9007199254740991),
    currency           text NOT NULL CHECK (length(currency) BETWEEN 1 AND 16),
    topup_id           text REFERENCES topups,
    state              text NOT NULL CHECK (state IN ('credited', 'quarantined', 'resolved_credited', 'resolved_returned')),
    quarantine_reason  text CHECK (quarantine_reason IN
      ('amount_mismatch', 'currency_mismatch', 'unknown_topup', 'topup_closed', 'paid_twice')),
    credited_topup_id  text UNIQUE REFERENCES topups,
    received_at        timestamptz NOT NULL DEFAULT now(),
    resolved_at        timestamptz,
    CHECK ((state = 'credited') = (quarantine_reason IS NULL)),
    CHECK ((state IN ('credited', 'resolved_credited')) = (credited_topup_id IS NOT NULL)),
    CHECK ((state IN ('resolved_credited', 'resolved_returned')) = (resolved_at IS NOT NULL))
  );
  COMMENT ON COLUMN payments.reference IS 'What the provider says the payment is for; our top-up id, if it is honest';
  COMMENT ON COLUMN payments.credited_topup_id IS
    'The top-up that the money became: its own, or the one that an operator''s decision made';
  CREATE INDEX payments_quarantined ON payments (payment_id DESC) WHERE state = 'quarantined';

  -- A payment ends as it was decided, and only a quarantined one is decided.
  CREATE FUNCTION payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.state <> 'quarantined' OR NEW.state NOT LIKE 'resolved%'
       OR (NEW.payment_id, NEW.provider, NEW.reference, NEW.amount_minor, NEW.currency, NEW.topup_id,
           NEW.quarantine_reason, NEW.received_at)
         IS DISTINCT FROM (OLD.payment_id, OLD.provider, OLD.reference, OLD.amount_minor, OLD.currency, OLD.topup_id,
           OLD.quarantine_reason, OLD.received_at) THEN
      RAISE EXCEPTION 'payment % is %', OLD.payment_id, OLD.state USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER payments_guard BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION payment_guard();
  CREATE TRIGGER payments_never_deleted BEFORE DELETE OR TRUNCATE ON payments
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
  CREATE TRIGGER payment_events_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_events
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  -- Whether this event is new; a repetition that arrives at once waits for the first and is none.
  CREATE FUNCTION payment_event_is_new(provider text, event_id text, type text, payment_id text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    INSERT INTO payment_events VALUES ($1, $2, $3, $4, now()) ON CONFLICT DO NOTHING;
    RETURN FOUND;
  END $$;

  -- A captured payment: credits the top-up that its reference names when everything fits, else is quarantined.
  CREATE FUNCTION payment_record(
    provider_name text, event text, event_type text, payment text, named_topup text, paid_minor bigint, paid_currency text
  ) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    topup    topups%ROWTYPE;
    known    boolean;
    problem  text;
    credited text;
  BEGIN
    IF NOT payment_event_is_new(provider_name, event, event_type, payment) THEN RETURN 'repeated'; END IF;
    SELECT t.* INTO topup FROM topups t WHERE t.topup_id = named_topup AND t.provider = provider_name
      FOR NO KEY UPDATE;
    known := FOUND;
    problem := CASE
      WHEN NOT known THEN 'unknown_topup'
      WHEN topup.currency <> paid_currency THEN 'currency_mismatch'
      WHEN topup.amount_minor <> paid_minor THEN 'amount_mismatch'
      WHEN topup.status = 'failed' THEN 'topup_closed'
      WHEN topup.status = 'succeeded' THEN 'paid_twice' END;
    INSERT INTO payments (payment_id, provider, reference, amount_minor, currency, topup_id, state, quarantine_reason,
                          credited_topup_id)
    VALUES (payment, provider_name, named_topup, paid_minor, paid_currency, CASE WHEN known THEN topup.topup_id END,
            CASE WHEN problem IS NULL THEN 'credited' ELSE 'quarantined' END, problem,
            CASE WHEN problem IS NULL THEN topup.topup_id END)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RETURN 'repeated'; END IF;
    IF problem IS NOT NULL THEN RETURN 'quarantined'; END IF;
    SELECT r.outcome INTO credited FROM billing_complete_topups(ARRAY[topup.topup_id]) r;
    IF credited <> 'credited' THEN
      RAISE EXCEPTION 'top-up % was %, not credited', topup.topup_id, credited USING ERRCODE = '23514';
    END IF;
    RETURN 'credited';
  END $$;

  -- The page of a pending top-up can be paid no more.
  CREATE FUNCTION payment_link_over(provider_name text, event text, event_type text, named_topup text) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    IF NOT payment_event_is_new(provider_name, event, event_type, NULL) THEN RETURN 'unchanged'; END IF;
    UPDATE topups t SET status = 'failed', completed_at = now()
      WHERE t.topup_id = named_topup AND t.provider = provider_name AND t.status = 'pending';
    RETURN CASE WHEN FOUND THEN 'failed' ELSE 'unchanged' END;
  END $$;

  -- An operator's decision. With a receiver the money becomes a top-up of that account, of what was really paid;
  -- without one it was given back at the provider. The top-up that it did not fit is over, for its page was paid.
  CREATE FUNCTION payment_resolve(payment text, receiver text, new_topup text, units bigint, trace text) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE paid payments%ROWTYPE;
  BEGIN
    SELECT p.* INTO paid FROM payments p WHERE p.payment_id = payment FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN 'no_payment'; END IF;
    IF paid.state <> 'quarantined' THEN RETURN 'not_quarantined'; END IF;
    UPDATE topups t SET status = 'failed', completed_at = now()
      WHERE t.topup_id = paid.topup_id AND t.status = 'pending';
    IF receiver IS NULL THEN
      UPDATE payments p SET state = 'resolved_returned', resolved_at = now() WHERE p.payment_id = payment;
      RETURN 'resolved';
    END IF;
    INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, provider_reference, trace_id)
    VALUES (new_topup, receiver, paid.amount_minor, paid.currency, units, paid.provider, payment, trace);
    PERFORM billing_complete_topups(ARRAY[new_topup]);
    UPDATE payments p SET state = 'resolved_credited', credited_topup_id = new_topup, resolved_at = now()
      WHERE p.payment_id = payment;
    RETURN 'resolved';
  END $$;

  REVOKE ALL ON FUNCTION payment_guard, payment_event_is_new, payment_record, payment_link_over, payment_resolve
    FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION payment_event_is_new, payment_record, payment_link_over, payment_resolve TO market_app;
  GRANT SELECT ON payments, payment_events TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION payment_resolve, payment_link_over, payment_record, payment_event_is_new;
  DROP TABLE payments; DROP TABLE payment_events;
  DROP FUNCTION payment_guard;
`);
