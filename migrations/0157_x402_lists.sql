-- Lists of payments by x402 for operators, by state and by paying address (ADR 0309).

-- migrate:up

CREATE INDEX x402_payments_state ON x402_payments (state, payment_id DESC);
CREATE INDEX x402_payments_payer ON x402_payments (payer, payment_id DESC);

-- migrate:down

DROP INDEX x402_payments_payer;
DROP INDEX x402_payments_state;
