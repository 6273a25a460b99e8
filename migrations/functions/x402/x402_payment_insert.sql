-- Writes a payment that was verified. Returns false if its authorization, or the identifier of its payer, is known; one
-- that is written at the same time is waited for.
-- Called by: x402_payment_open, x402_payment_watch.
-- Locks: the keys of the payment, by its unique insert.
CREATE OR REPLACE FUNCTION x402_payment_insert(item jsonb, first_state text, due timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO x402_payments (payment_id, user_id, network, asset, payer, nonce, pay_to, amount_minor, amount_units,
    identifier, proof_sha256, agent_id, input_sha256, invocation_id, state, credits, valid_before, from_block, trace_id,
    due_at)
  VALUES (item ->> 'payment_id', item ->> 'user_id', item ->> 'network', item ->> 'asset', item ->> 'payer',
    item ->> 'nonce', item ->> 'pay_to', (item ->> 'amount_minor')::bigint, (item ->> 'amount_units')::bigint,
    item ->> 'identifier', item ->> 'proof_sha256', item ->> 'agent_id', item ->> 'input_sha256',
    CASE first_state WHEN 'held' THEN item ->> 'invocation_id' END, first_state,
    CASE first_state WHEN 'held' THEN 1 ELSE 0 END, (item ->> 'valid_before')::timestamptz,
    (item ->> 'from_block')::bigint, item ->> 'trace_id', due)
  ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION x402_payment_insert FROM PUBLIC, market_app;
