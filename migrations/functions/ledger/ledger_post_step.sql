-- Posts a step of a call that moves its price between the buyer's wallet and escrow: hold (wallet → escrow), and the
-- ends that charge nothing (escrow → wallet): void, dispute, and a capture of 0. The hold names the transaction.
-- Returns what the wallet has afterwards; null for a hold of 0, which posts nothing. One statement, because each
-- statement of a call costs about as much as the rows that it writes.
-- Called by: invocation_admit, ledger_capture_one, ledger_hold, ledger_void.
-- Locks: the buyer's wallet, then the escrow, which has the next id.
CREATE OR REPLACE FUNCTION ledger_post_step(hold holds, step text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  held        bigint := hold.amount_units * CASE step WHEN 'hold' THEN 1 ELSE -1 END;
  posting     text := CASE step WHEN 'hold' THEN hold.hold_transaction_id ELSE hold.end_transaction_id END;
  type        text := CASE step WHEN 'hold' THEN 'invocation_hold' WHEN 'capture' THEN 'invocation_release'
                        WHEN 'void' THEN 'refund' ELSE 'dispute_refund' END;
  wallet_line integer := CASE step WHEN 'hold' THEN 1 ELSE 2 END;
  units_left  bigint;
BEGIN
  IF held = 0 THEN RETURN NULL; END IF;
  WITH wallet AS (
    UPDATE accounts a SET balance_units = a.balance_units - held, version = a.version + 1, updated_at = now()
    WHERE a.user_id = hold.buyer_user_id AND a.kind = 'wallet'
    RETURNING a.account_id, a.balance_units, a.version
  ), escrow AS (
    UPDATE accounts a SET balance_units = a.balance_units + held, version = a.version + 1, updated_at = now()
    FROM wallet w WHERE a.account_id = w.account_id + 1 AND a.user_id = hold.buyer_user_id AND a.kind = 'escrow'
    RETURNING a.account_id, a.balance_units, a.version
  ), lines AS (
    INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units,
                         balance_before_units, balance_after_units, account_version)
    SELECT posting, l.line, l.account_id, type, l.amount, l.after - l.amount, l.after, l.version
    FROM wallet w, escrow e, LATERAL (VALUES
      (wallet_line, w.account_id, -held, w.balance_units, w.version),
      (3 - wallet_line, e.account_id, held, e.balance_units, e.version)) l(line, account_id, amount, after, version)
    ORDER BY l.line
    RETURNING account_id, entry_id
  ), posted AS (
    INSERT INTO transactions (transaction_id, kind, reference, invocation_id, agent_id, description, trace_id,
      account_ids, first_entry_id, last_entry_id)
    SELECT posting,
      CASE step WHEN 'hold' THEN 'invocation_hold' WHEN 'capture' THEN 'invocation_charge'
        WHEN 'void' THEN 'invocation_refund' ELSE 'dispute_refund' END,
      'invocation/' || hold.invocation_id || CASE step WHEN 'dispute' THEN '/void' ELSE '/' || step END,
      hold.invocation_id, hold.agent_id,
      CASE step WHEN 'hold' THEN 'Hold for ' WHEN 'capture' THEN 'Charge for ' ELSE 'Refund for ' END || hold.agent_id,
      hold.trace_id,
      array_agg(l.account_id), min(l.entry_id), max(l.entry_id)
    FROM lines l
  )
  SELECT w.balance_units INTO units_left FROM wallet w, escrow e;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no accounts of user %', hold.buyer_user_id USING ERRCODE = '23503';
  END IF;
  RETURN units_left;
END $$;

REVOKE ALL ON FUNCTION ledger_post_step FROM PUBLIC, market_app;
