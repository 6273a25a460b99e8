/**
 * Top-ups and their invoices. A top-up is opened as `pending` by the app and ends once, by a ledger function:
 * `billing_complete_topups` credits the wallet (cash → topup_clearing → wallet, reference `topup/<id>`) and issues
 * the invoice in the same transaction. Invoice numbers have no gaps: the series row is locked until the commit.
 * Outcomes: credited | already_credited | already_failed | no_topup.
 */
exports.up = (knex) =>
  knex.raw(`
  -- cash → topup_clearing → wallet, for topup ids; outcomes credited | already_credited. Only for the owner: money
  -- comes in through billing_complete_topups, which knows what was paid.
  CREATE FUNCTION ledger_top_up(
    topup_ids text[], user_ids text[], amounts bigint[], descriptions text[], trace_ids text[]
  ) RETURNS SETOF ledger_result LANGUAGE plpgsql AS $$
  DECLARE
    result ledger_result;
    wallet_id bigint;
  BEGIN
    PERFORM ledger_lock(ARRAY(
      SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (user_ids) AND a.kind = 'wallet'));
    FOR i IN 1 .. cardinality(topup_ids) LOOP
      result := ROW (i, 'already_credited', ledger_transaction_of('topup/' || topup_ids[i]), amounts[i], NULL);
      IF result.transaction_id IS NULL THEN
        wallet_id := ledger_account(user_ids[i], 'wallet');
        result.outcome := 'credited';
        result.transaction_id := ledger_post(
          'topup', 'topup/' || topup_ids[i], NULL, NULL, descriptions[i], trace_ids[i],
          ARRAY[1, 2, 2, wallet_id], array_fill('topup'::text, ARRAY[4]),
          ARRAY[-amounts[i], amounts[i], -amounts[i], amounts[i]]);
        result.wallet_units := ledger_wallet_units(user_ids[i]);
      END IF;
      RETURN NEXT result;
    END LOOP;
  END $$;

  CREATE TABLE topups (
    topup_id            text PRIMARY KEY CHECK (topup_id ~ '^top_[0-9a-f]{32}$'),
    user_id             text NOT NULL REFERENCES users,
    amount_minor        bigint NOT NULL CHECK (amount_minor > 0),
    currency            text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    amount_units        bigint NOT NULL CHECK (amount_units BETWEEN 1 AND 9007199254740991),
    provider            text NOT NULL CHECK (provider IN ('sandbox', 'razorpay')),
    provider_reference  text CHECK (length(provider_reference) <= 200),
    payment_url         text CHECK (length(payment_url) <= 2000),
    status              text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
    idempotency_key     text CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    trace_id            text CHECK (length(trace_id) <= 64),
    created_at          timestamptz NOT NULL DEFAULT now(),
    completed_at        timestamptz,
    CONSTRAINT topups_key UNIQUE (user_id, idempotency_key),
    CONSTRAINT topups_provider_reference UNIQUE (provider, provider_reference),
    CHECK ((status = 'pending') = (completed_at IS NULL))
  );

  CREATE TABLE invoice_series (
    series       text PRIMARY KEY CHECK (series ~ '^(INV|SBX)-[0-9]{4}$'),
    last_number  bigint NOT NULL CHECK (last_number > 0)
  );
  CREATE TABLE invoices (
    invoice_id    text PRIMARY KEY CHECK (invoice_id ~ '^ivc_[0-9a-f]{32}$'),
    number        text NOT NULL UNIQUE,
    series        text NOT NULL REFERENCES invoice_series,
    series_no     bigint NOT NULL CHECK (series_no > 0),
    topup_id      text NOT NULL UNIQUE REFERENCES topups,
    user_id       text NOT NULL REFERENCES users,
    amount_minor  bigint NOT NULL,
    currency      text NOT NULL,
    amount_units  bigint NOT NULL,
    status        text NOT NULL CHECK (status IN ('paid', 'sandbox')),
    issued_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (series, series_no)
  );
  CREATE INDEX invoices_user ON invoices (user_id, invoice_id DESC);
  CREATE TRIGGER invoices_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON invoices
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  CREATE FUNCTION billing_issue_invoice(topup topups) RETURNS text
  LANGUAGE plpgsql AS $$
  DECLARE
    series_name text := CASE topup.provider WHEN 'sandbox' THEN 'SBX-' ELSE 'INV-' END
      || to_char(now() AT TIME ZONE 'UTC', 'YYYY');
    next_no bigint;
    new_invoice_id text := ledger_new_id('ivc');
  BEGIN
    INSERT INTO invoice_series AS s (series, last_number) VALUES (series_name, 1)
      ON CONFLICT (series) DO UPDATE SET last_number = s.last_number + 1 RETURNING s.last_number INTO next_no;
    INSERT INTO invoices (invoice_id, number, series, series_no, topup_id, user_id, amount_minor, currency,
                          amount_units, status)
    VALUES (new_invoice_id, series_name || '-' || lpad(next_no::text, 6, '0'), series_name, next_no, topup.topup_id,
            topup.user_id, topup.amount_minor, topup.currency, topup.amount_units,
            CASE topup.provider WHEN 'sandbox' THEN 'sandbox' ELSE 'paid' END);
    RETURN new_invoice_id;
  END $$;

  CREATE FUNCTION billing_complete_topups(topup_ids text[]) RETURNS SETOF ledger_result
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    result ledger_result;
    topup topups%ROWTYPE;
  BEGIN
    PERFORM 1 FROM topups t WHERE t.topup_id = ANY (topup_ids) ORDER BY t.topup_id FOR NO KEY UPDATE;
    PERFORM ledger_lock(ARRAY(
      SELECT a.account_id FROM accounts a JOIN topups t ON t.user_id = a.user_id
      WHERE t.topup_id = ANY (topup_ids) AND t.status = 'pending' AND a.kind = 'wallet'));
    FOR i IN 1 .. cardinality(topup_ids) LOOP
      SELECT t.* INTO topup FROM topups t WHERE t.topup_id = topup_ids[i];
      IF NOT FOUND THEN
        result := ROW (i, 'no_topup', NULL, NULL, NULL);
      ELSIF topup.status = 'failed' THEN
        result := ROW (i, 'already_failed', NULL, topup.amount_units, NULL);
      ELSE
        SELECT t.* INTO result FROM ledger_top_up(
          ARRAY[topup.topup_id], ARRAY[topup.user_id], ARRAY[topup.amount_units],
          ARRAY['Top-up of ' || topup.currency || ' ' || to_char(topup.amount_minor / 100.0, 'FM999999999990.00')],
          ARRAY[topup.trace_id]) t;
        result.ordinality := i;
        IF topup.status = 'pending' THEN
          UPDATE topups t SET status = 'succeeded', completed_at = now() WHERE t.topup_id = topup.topup_id;
          PERFORM billing_issue_invoice(topup);
        END IF;
      END IF;
      RETURN NEXT result;
    END LOOP;
  END $$;

  REVOKE ALL ON FUNCTION ledger_top_up, billing_issue_invoice, billing_complete_topups FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION billing_complete_topups TO market_app;
  GRANT SELECT, INSERT (topup_id, user_id, amount_minor, currency, amount_units, provider, provider_reference,
    payment_url, idempotency_key, trace_id), UPDATE (provider_reference, payment_url) ON topups TO market_app;
  GRANT SELECT ON invoices, invoice_series TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION billing_complete_topups, billing_issue_invoice, ledger_top_up;
  DROP TABLE invoices; DROP TABLE invoice_series; DROP TABLE topups;
`);
