import type { LedgerProof } from './ledger-proof';

/** Proofs about incoming money, and that every movement has a reason. */
export const topupsAreInvoiced: LedgerProof = {
  name: 'top-ups',
  window: 'top-ups',
  promise: 'each paid top-up was credited once, to its owner, and has one invoice',
  sql: `
    WITH credited AS (
      SELECT split_part(t.reference, '/', 2) AS topup_id, a.user_id, sum(e.amount_units) AS amount
      FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.kind = 'topup' AND a.kind NOT IN ('cash', 'topup_clearing') GROUP BY 1, 2
    )
    SELECT coalesce(p.topup_id, c.topup_id) AS subject,
           'credited ' || coalesce(c.amount, 0) || ' to ' || coalesce(c.user_id, 'nobody') || ', paid for '
             || coalesce(p.amount_units, 0) || ' by ' || coalesce(p.user_id, 'nobody') AS problem
    FROM credited c FULL JOIN (SELECT * FROM topups WHERE status = 'succeeded') p USING (topup_id)
    WHERE (c.user_id, c.amount) IS DISTINCT FROM (p.user_id, p.amount_units)
    UNION ALL
    SELECT p.topup_id, 'its invoice is missing or says otherwise'
    FROM (SELECT * FROM topups WHERE status = 'succeeded') p FULL JOIN invoices i USING (topup_id)
    WHERE (i.user_id, i.amount_minor, i.currency, i.amount_units)
      IS DISTINCT FROM (p.user_id, p.amount_minor, p.currency, p.amount_units)`,
};

export const invoicesHaveNoGaps: LedgerProof = {
  name: 'invoices',
  window: 'all',
  promise:
    'numbers of invoices and notes run from 1 without gaps in each series, and notes take back what reversals took, at most the invoice',
  sql: `
    SELECT 'series ' || s.series AS subject,
           count(i.series_no) || ' invoices up to number ' || coalesce(max(i.series_no), 0) || ', the series is at '
             || s.last_number AS problem
    FROM invoice_series s LEFT JOIN (
      SELECT series, series_no FROM invoices UNION ALL SELECT series, series_no FROM invoice_notes) i USING (series)
    GROUP BY s.series, s.last_number
    HAVING count(i.series_no) <> s.last_number OR max(i.series_no) IS DISTINCT FROM s.last_number
    UNION ALL
    SELECT i.number, 'its notes take back ' || n.amount || ' with a tax of ' || n.tax || ', it has ' || i.amount_minor
      || ' with a tax of ' || i.tax_minor
    FROM (SELECT invoice_id, sum(CASE kind WHEN 'credit' THEN amount_minor ELSE -amount_minor END) AS amount,
                 sum(CASE kind WHEN 'credit' THEN tax_minor ELSE -tax_minor END) AS tax
          FROM invoice_notes GROUP BY invoice_id) n
    JOIN invoices i USING (invoice_id)
    WHERE n.amount NOT BETWEEN 0 AND i.amount_minor OR n.tax NOT BETWEEN 0 AND i.tax_minor
    UNION ALL
    SELECT n.number, 'is about ' || n.amount_units || ' of ' || n.user_id || ', the reversal took ' || r.reversed_units
      || ' of ' || coalesce(r.user_id, 'nobody')
    FROM invoice_notes n JOIN payment_reversals r USING (reversal_id)
    WHERE (n.amount_units, n.user_id) IS DISTINCT FROM (r.reversed_units, r.user_id)`,
};

export const everyTransactionHasAReason: LedgerProof = {
  name: 'reasons',
  window: 'moves',
  promise:
    'every transaction is of a known kind, with the reference of that kind; fees are paid once by developers',
  sql: `
    SELECT t.transaction_id AS subject, t.kind || ' with reference ' || t.reference AS problem
    FROM transactions t WHERE NOT CASE t.kind
      WHEN 'topup' THEN t.reference ~ '^topup/top_[0-9a-f]{32}$'
      WHEN 'topup_reversal' THEN t.reference ~ '^reversal/[A-Za-z0-9_]+/(take|return|debt/[A-Za-z0-9_]+)$'
      WHEN 'registration_fee' THEN t.reference ~ '^registration/(usr|org)_[0-9a-f]{32}$'
      WHEN 'invocation_hold' THEN t.reference = 'invocation/' || t.invocation_id || '/hold'
      WHEN 'invocation_charge' THEN t.reference = 'invocation/' || t.invocation_id || '/capture'
      WHEN 'invocation_refund' THEN t.reference = 'invocation/' || t.invocation_id || '/void'
      WHEN 'dispute_refund' THEN t.reference IN ('invocation/' || t.invocation_id || '/void',
                                                 'invocation/' || t.invocation_id || '/clawback')
      WHEN 'payout' THEN t.reference ~ '^payout/pay_[0-9a-f]{32}/(reserve(/[0-9]+)?|paid|return|late-return)$'
      WHEN 'bond_deposit' THEN t.reference ~ '^bond/bdp_[0-9a-f]{32}/deposit$'
      WHEN 'bond_release' THEN t.reference ~ '^bond/bwd_[0-9a-f]{32}/release$'
      WHEN 'slash' THEN t.reference ~ '^slash/slh_[0-9a-f]{32}/apply$'
      WHEN 'slash_return' THEN t.reference ~ '^slash/slh_[0-9a-f]{32}/return$'
      WHEN 'x402_payment' THEN t.reference ~ '^x402/xpm_[0-9a-f]{32}/(credit|release)/[0-9]+$'
      WHEN 'x402_refund' THEN t.reference ~ '^x402refund/xrf_[0-9a-f]{32}/(send|return)$'
      WHEN 'slash_penalty' THEN t.reference ~ '^slash/slh_[0-9a-f]{32}/penalty$'
      WHEN 'slash_refund' THEN CASE WHEN t.invocation_id IS NULL
        THEN t.reference ~ '^slash/slh_[0-9a-f]{32}/remedy/(usr|org)_[0-9a-f]{32}$'
        ELSE t.reference ~ ('^slash/slh_[0-9a-f]{32}/refund/' || t.invocation_id || '$') END
      ELSE false END
    UNION ALL
    SELECT t.transaction_id, t.reference || ' moved ' || sum(e.amount_units) || ' to the platform'
    FROM transactions t JOIN entries e USING (transaction_id)
    LEFT JOIN users u ON t.reference = 'registration/' || u.user_id AND u.registration_paid_at IS NOT NULL
    WHERE t.kind = 'registration_fee' AND e.account_id = 5 GROUP BY t.transaction_id, t.reference, u.user_id
    HAVING u.user_id IS NULL OR sum(e.amount_units) <> ledger_registration_fee_units()`,
};

export const paymentsAreCredited: LedgerProof = {
  name: 'payments',
  window: 'all',
  promise:
    'each paid top-up of a provider is one payment of exactly its amount, and each credited payment one top-up',
  sql: `
    SELECT coalesce(t.topup_id, p.payment_id) AS subject,
           CASE WHEN p.payment_id IS NULL THEN 'credited without a payment'
             ELSE 'payment ' || p.payment_id || ' of ' || p.currency || ' ' || p.amount_minor || ' became '
               || coalesce(t.currency || ' ' || t.amount_minor, 'nothing') END AS problem
    FROM (SELECT * FROM topups WHERE status = 'succeeded' AND provider <> 'sandbox') t
    FULL JOIN (SELECT * FROM payments WHERE state IN ('credited', 'resolved_credited')) p
      ON p.credited_topup_id = t.topup_id
    WHERE (p.provider, p.amount_minor, p.currency) IS DISTINCT FROM (t.provider, t.amount_minor, t.currency)`,
};

export const x402PaymentsAreCredited: LedgerProof = {
  name: 'x402',
  window: 'x402',
  promise: 'the payer of each x402 payment has its credits while it is held or settled, and at no other time',
  sql: `
    WITH moved AS (
      SELECT split_part(t.reference, '/', 2) AS payment_id, min(a.user_id) AS user_id, max(a.user_id) AS last_user_id,
             sum(e.amount_units) AS amount
      FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.kind = 'x402_payment' AND a.kind NOT IN ('cash', 'topup_clearing') GROUP BY 1
    )
    SELECT coalesce(p.payment_id, m.payment_id) AS subject,
           'is ' || coalesce(p.state, 'unknown') || ' over ' || coalesce(p.amount_units, 0) || ', and '
             || coalesce(m.user_id, 'no account') || ' has ' || coalesce(m.amount, 0) AS problem
    FROM x402_payments p FULL JOIN moved m USING (payment_id)
    WHERE p.payment_id IS NULL OR m.user_id <> p.user_id OR m.last_user_id <> p.user_id
      OR coalesce(m.amount, 0) <> CASE WHEN p.state IN ('held', 'settled') THEN p.amount_units ELSE 0 END
    UNION ALL
    SELECT p.payment_id, 'is not settled, and its call was charged'
    FROM x402_payments p JOIN invocations i USING (invocation_id)
    WHERE p.state <> 'settled' AND i.charged_units > 0`,
};

export const x402RefundsMovedOnce: LedgerProof = {
  name: 'x402 refunds',
  window: 'x402-refunds',
  promise:
    'credits that are sent back left the wallet of their payer once, and returned if their transfer failed',
  sql: `
    WITH moved AS (
      SELECT split_part(t.reference, '/', 2) AS refund_id, min(a.user_id) AS user_id, max(a.user_id) AS last_user_id,
             sum(e.amount_units) AS amount
      FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.kind = 'x402_refund' AND a.kind NOT IN ('cash', 'topup_clearing') GROUP BY 1
    )
    SELECT coalesce(r.refund_id, m.refund_id) AS subject,
           'is ' || coalesce(r.state, 'unknown') || ' over ' || coalesce(r.amount_units, 0) || ', and moved '
             || coalesce(m.amount, 0) || ' of ' || coalesce(m.user_id, 'no account') AS problem
    FROM x402_refunds r FULL JOIN moved m USING (refund_id)
    WHERE r.refund_id IS NULL OR m.refund_id IS NULL OR m.user_id <> r.user_id OR m.last_user_id <> r.user_id
      OR m.amount <> CASE r.state WHEN 'failed' THEN 0 ELSE -r.amount_units END`,
};

export const reversalsMovedAsTold: LedgerProof = {
  name: 'reversals',
  window: 'reversals',
  promise:
    'each refund and chargeback took its amount from its payer once, at most what the payment credited, and a debt freezes the wallet',
  sql: `
    WITH moved AS (
      SELECT split_part(t.reference, '/', 2) AS reversal_id, min(a.user_id) AS user_id, max(a.user_id) AS last_user_id,
             coalesce(sum(e.amount_units) FILTER (WHERE a.kind = 'wallet'), 0) AS wallet,
             coalesce(sum(e.amount_units) FILTER (WHERE a.kind = 'platform'), 0) AS platform,
             coalesce(sum(e.amount_units) FILTER (WHERE a.kind = 'cash'), 0) AS cash
      FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.kind = 'topup_reversal' GROUP BY 1
    ), told AS (
      SELECT r.*, CASE r.state WHEN 'taken' THEN r.reversed_units ELSE 0 END AS taken FROM payment_reversals r
    )
    SELECT coalesce(r.reversal_id, m.reversal_id) AS subject,
           'moved ' || coalesce(m.wallet, 0) || ' in the wallet of ' || coalesce(m.user_id, 'nobody') || ' and '
             || coalesce(m.platform, 0) || ' in the platform, took ' || coalesce(r.taken, 0) || ', of which '
             || coalesce(r.owed_units, 0) || ' are owed' AS problem
    FROM told r FULL JOIN moved m USING (reversal_id)
    WHERE (coalesce(m.wallet, 0), coalesce(m.platform, 0), coalesce(m.cash, 0))
        IS DISTINCT FROM (r.owed_units - r.taken, -r.owed_units, r.taken)
      OR m.user_id <> r.user_id OR m.last_user_id <> r.user_id
    UNION ALL
    SELECT r.payment_id, 'lost ' || sum(r.taken) || ' to reversals, it credited ' || coalesce(max(t.amount_units), 0)
    FROM told r LEFT JOIN payments p USING (payment_id) LEFT JOIN topups t ON t.topup_id = p.credited_topup_id
    WHERE r.taken > 0 GROUP BY r.payment_id
    HAVING sum(r.taken) > coalesce(max(t.amount_units), 0) OR bool_or(r.user_id IS DISTINCT FROM t.user_id)
    UNION ALL
    SELECT r.reversal_id, 'waits, although payment ' || p.payment_id || ' is ' || p.state
    FROM told r JOIN payments p USING (payment_id, currency) WHERE r.state = 'waiting' AND p.state <> 'quarantined'
    UNION ALL
    SELECT coalesce(d.user_id, f.user_id), 'owes ' || coalesce(d.total, 0) || ', the wallet is '
      || CASE WHEN f.user_id IS NULL THEN 'not ' ELSE '' END || 'frozen for a debt'
    FROM (SELECT user_id, sum(owed_units) AS total FROM payment_reversals WHERE owed_units > 0 GROUP BY 1) d
    FULL JOIN (SELECT user_id FROM frozen_wallets WHERE cause = 'debt') f USING (user_id)
    WHERE d.user_id IS NULL OR f.user_id IS NULL`,
};
