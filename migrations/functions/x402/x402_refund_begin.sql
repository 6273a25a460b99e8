-- Takes the credits that are sent back to a paying address from its wallet: wallet → topup_clearing → cash, reference
-- `x402refund/<id>/send`, and writes the signed transfer. Nothing is sent back while a payment of the address is held, because
-- those credits have not arrived.
-- Outcomes: begun | payment_open | insufficient | frozen.
-- Called by: src/stores/x402/x402-refunds.ts.
-- Locks: the wallet.
CREATE OR REPLACE FUNCTION x402_refund_begin(item jsonb, content bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  owner text := item ->> 'user_id';
  units bigint := (item ->> 'amount_units')::bigint;
  wallet_id bigint := ledger_account(owner, 'wallet');
BEGIN
  PERFORM ledger_lock(ARRAY[wallet_id]);
  IF EXISTS (SELECT FROM x402_payments p WHERE p.user_id = owner AND p.state = 'held') THEN
    RETURN 'payment_open';
  ELSIF wallet_is_frozen(owner) THEN
    RETURN 'frozen';
  ELSIF ledger_wallet_units(owner) < units THEN
    RETURN 'insufficient';
  END IF;
  INSERT INTO x402_refunds (refund_id, user_id, network, asset, treasury, pay_to, nonce, amount_units, amount_minor,
    valid_before, from_block, sealed, trace_id)
  VALUES (item ->> 'refund_id', owner, item ->> 'network', item ->> 'asset', item ->> 'treasury', item ->> 'pay_to',
    item ->> 'nonce', units, (item ->> 'amount_minor')::bigint, (item ->> 'valid_before')::timestamptz,
    (item ->> 'from_block')::bigint, content, item ->> 'trace_id');
  PERFORM ledger_post('x402_refund', 'x402refund/' || (item ->> 'refund_id') || '/send', NULL, NULL,
    'Sent back to ' || (item ->> 'pay_to'), item ->> 'trace_id', ARRAY[wallet_id, 2, 2, 1],
    array_fill('x402_refund'::text, ARRAY[4]), ARRAY[-units, units, -units, units]);
  RETURN 'begun';
END $$;

REVOKE ALL ON FUNCTION x402_refund_begin FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_refund_begin TO market_app;
