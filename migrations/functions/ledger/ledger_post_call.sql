-- Posts one step of a call: what ledger_post does, for the accounts that a call moves. step is hold (wallet → escrow),
-- capture (escrow → wallet, then gross from the wallet: the fee to the platform, the rest to the account payable_id),
-- void or dispute (escrow → wallet). Returns the transaction and what the wallet has afterwards; a hold of 0 posts
-- nothing.
-- Called by: invocation_accept_permit, ledger_hold, ledger_capture_one, ledger_void.
-- Locks: the buyer's wallet, then the escrow, which has the next id.
CREATE OR REPLACE FUNCTION ledger_post_call(hold holds, step text, gross bigint, fee bigint, payable_id bigint,
  OUT new_transaction_id text, OUT wallet_units bigint)
LANGUAGE plpgsql AS $$
DECLARE
  held   bigint := hold.amount_units * CASE step WHEN 'hold' THEN 1 ELSE -1 END;
  wallet record;
  escrow record;
  type   text;
BEGIN
  IF held = 0 THEN RETURN; END IF;
  UPDATE accounts a SET balance_units = a.balance_units - held - gross,
      version = a.version + CASE WHEN gross > 0 THEN 2 ELSE 1 END, updated_at = now()
    WHERE a.user_id = hold.buyer_user_id AND a.kind = 'wallet'
    RETURNING a.account_id, a.balance_units, a.version INTO wallet;
  UPDATE accounts a SET balance_units = a.balance_units + held, version = a.version + 1, updated_at = now()
    WHERE a.user_id = hold.buyer_user_id AND a.kind = 'escrow'
    RETURNING a.account_id, a.balance_units, a.version INTO escrow;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no accounts of user %', hold.buyer_user_id USING ERRCODE = '23503';
  END IF;
  wallet_units := wallet.balance_units;
  new_transaction_id := ledger_new_id('txn');
  INSERT INTO transactions (transaction_id, kind, reference, invocation_id, agent_id, description, trace_id)
  VALUES (new_transaction_id,
          CASE step WHEN 'hold' THEN 'invocation_hold' WHEN 'capture' THEN 'invocation_charge'
            WHEN 'void' THEN 'invocation_refund' ELSE 'dispute_refund' END,
          'invocation/' || hold.invocation_id || CASE step WHEN 'dispute' THEN '/void' ELSE '/' || step END,
          hold.invocation_id, hold.agent_id,
          CASE step WHEN 'hold' THEN 'Hold for ' WHEN 'capture' THEN 'Charge for ' ELSE 'Refund for ' END
            || hold.agent_id, hold.trace_id);
  IF gross > 0 THEN
    INSERT INTO pending_rollups (account_id, amount_units)
    SELECT p.id, p.amount FROM (VALUES (payable_id, gross - fee), (4, fee)) p(id, amount) WHERE p.amount <> 0;
    INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units,
                         balance_before_units, balance_after_units, account_version)
    SELECT new_transaction_id, e.* FROM (VALUES
      (1, escrow.account_id, 'invocation_release', held, escrow.balance_units - held, escrow.balance_units,
       escrow.version),
      (2, wallet.account_id, 'invocation_release', -held, wallet_units + gross + held, wallet_units + gross,
       wallet.version - 1),
      (3, wallet.account_id, 'invocation_charge', -gross, wallet_units + gross, wallet_units, wallet.version),
      (4, payable_id, 'invocation_earning', gross - fee, NULL, NULL, NULL),
      (5, 4, 'platform_fee', fee, NULL, NULL, NULL)) e(line, account_id, type, amount, before, after, version)
    WHERE e.amount <> 0;
    RETURN;
  END IF;
  type := CASE step WHEN 'hold' THEN 'invocation_hold' WHEN 'capture' THEN 'invocation_release'
    WHEN 'void' THEN 'refund' ELSE 'dispute_refund' END;
  INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units,
                       balance_before_units, balance_after_units, account_version)
  VALUES (new_transaction_id, CASE step WHEN 'hold' THEN 1 ELSE 2 END, wallet.account_id, type, -held,
          wallet_units + held, wallet_units, wallet.version),
         (new_transaction_id, CASE step WHEN 'hold' THEN 2 ELSE 1 END, escrow.account_id, type, held,
          escrow.balance_units - held, escrow.balance_units, escrow.version);
END $$;

REVOKE ALL ON FUNCTION ledger_post_call FROM PUBLIC, market_app;
