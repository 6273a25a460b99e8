-- Returns the one-time registration fee of a developer (specification, Limits: 1000 credits).
-- Called by: ledger_pay_registration, src/stores/ledger/ledger-proofs-money-in.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_registration_fee_units() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 100000::bigint;

REVOKE ALL ON FUNCTION ledger_registration_fee_units FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_registration_fee_units TO market_app;
