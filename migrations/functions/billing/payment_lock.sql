-- Makes what concerns one payment of a provider wait for each other: a payment and its reversals arrive in any order.
-- Called by: payment_record, payment_resolve, payment_reverse.
-- Locks: the payment, by an advisory lock.
CREATE OR REPLACE FUNCTION payment_lock(payment text) RETURNS void
LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended('payment/' || payment, 0))
$$;

REVOKE ALL ON FUNCTION payment_lock FROM PUBLIC, market_app;
