-- The rule of a row of transactions: its kind is one that the ledger knows. A CHECK calls it, because Postgres parses
-- the text of each CHECK again for every statement (docs/internals/statements.md#checks).
-- Called by: CHECK transactions_kind_check on transactions, CHECK transactions_kind_check on archive.transactions.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_check_transaction(kind text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN kind IN
    ('topup', 'topup_reversal', 'registration_fee', 'invocation_hold', 'invocation_charge', 'invocation_refund',
     'dispute_refund', 'bond_deposit', 'bond_release', 'slash', 'slash_return', 'slash_refund', 'slash_penalty',
     'payout', 'x402_payment', 'x402_refund');
END $$;

REVOKE ALL ON FUNCTION ledger_check_transaction FROM PUBLIC, market_app;
