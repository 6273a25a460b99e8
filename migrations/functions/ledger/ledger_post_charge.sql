-- Posts the capture of a call that is charged: escrow −hold, wallet +hold, wallet −gross, payable +net, fees +fee,
-- under the transaction that the hold names. Makes the lot of earnings, and one row with which the credits of payable
-- and fees and the lot wait for their roll-ups. That row also counts the call in the usage of its agent; called_at and
-- duration_ms are those of the call, null when there is none; is_job: its agent accepted it as a job. The fee is the fee_percent of the version that was
-- called; a hold without a version in the catalogue pays the rate of today. A charge is whole credits, so nothing is
-- rounded. Returns what the wallet has afterwards. One statement, as in ledger_post_step.
-- Called by: ledger_capture_one.
-- Locks: the buyer's wallet, then the escrow, which has the next id. The credits of payable and fees need no lock.
CREATE OR REPLACE FUNCTION ledger_post_charge(
  hold holds, matures timestamptz, called_at timestamptz, duration_ms integer, is_job boolean
) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  held       bigint := hold.amount_units;
  gross      bigint := hold.captured_units;
  posting    text := hold.end_transaction_id;
  units_left bigint;
BEGIN
  WITH terms AS MATERIALIZED (
    SELECT p.account_id AS payable_id, r.percent, gross * r.percent / 100 AS fee
    FROM accounts p, LATERAL (SELECT coalesce(
      (SELECT v.fee_percent FROM agent_versions v WHERE v.version_id = hold.version_id),
      (SELECT s.fee_percent FROM platform_settings s)) AS percent) r
    WHERE p.user_id = hold.developer_user_id AND p.kind = 'payable'
  ), wallet AS (
    UPDATE accounts a SET balance_units = a.balance_units + held - gross, version = a.version + 2, updated_at = now()
    WHERE a.user_id = hold.buyer_user_id AND a.kind = 'wallet'
    RETURNING a.account_id, a.balance_units, a.version
  ), escrow AS (
    UPDATE accounts a SET balance_units = a.balance_units - held, version = a.version + 1, updated_at = now()
    FROM wallet w WHERE a.account_id = w.account_id + 1 AND a.user_id = hold.buyer_user_id AND a.kind = 'escrow'
    RETURNING a.account_id, a.balance_units, a.version
  ), lot AS (
    INSERT INTO earnings (invocation_id, developer_user_id, agent_id, gross_units, fee_units, fee_percent, net_units,
                          matures_at, late)
    SELECT hold.invocation_id, hold.developer_user_id, hold.agent_id, gross, t.fee, t.percent, gross - t.fee,
      matures, matures < now() + interval '1 hour'
    FROM terms t
  ), waiting AS (
    INSERT INTO pending_rollups (account_id, amount_units, fee_units, matures_on, agent_id, called_on, duration_ms,
      is_job)
    SELECT t.payable_id, gross - t.fee, t.fee, (matures AT TIME ZONE 'UTC')::date,
      CASE WHEN called_at IS NOT NULL THEN hold.agent_id END, (called_at AT TIME ZONE 'UTC')::date,
      ledger_post_charge.duration_ms, ledger_post_charge.is_job
    FROM terms t
  ), lines AS (
    INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units,
                         balance_before_units, balance_after_units, account_version)
    SELECT posting, l.line, l.account_id, l.type, l.amount, l.after - l.amount, l.after, l.version
    FROM wallet w, escrow e, terms t, LATERAL (VALUES
      (1, e.account_id, 'invocation_release', -held, e.balance_units, e.version),
      (2, w.account_id, 'invocation_release', held, w.balance_units + gross, w.version - 1),
      (3, w.account_id, 'invocation_charge', -gross, w.balance_units, w.version),
      (4, t.payable_id, 'invocation_earning', gross - t.fee, NULL, NULL),
      (5, 4, 'platform_fee', t.fee, NULL, NULL)) l(line, account_id, type, amount, after, version)
    WHERE l.amount <> 0 ORDER BY l.line
    RETURNING account_id, entry_id
  ), posted AS (
    INSERT INTO transactions (transaction_id, kind, reference, invocation_id, agent_id, description, trace_id,
      account_ids, first_entry_id, last_entry_id)
    SELECT posting, 'invocation_charge', 'invocation/' || hold.invocation_id || '/capture', hold.invocation_id,
      hold.agent_id, 'Charge for ' || hold.agent_id, hold.trace_id,
      array_agg(l.account_id), min(l.entry_id), max(l.entry_id)
    FROM lines l
  )
  SELECT w.balance_units INTO units_left FROM wallet w, escrow e, terms t;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no accounts of user % or payable account of user %', hold.buyer_user_id, hold.developer_user_id
      USING ERRCODE = '23503';
  END IF;
  RETURN units_left;
END $$;

REVOKE ALL ON FUNCTION ledger_post_charge FROM PUBLIC, market_app;
