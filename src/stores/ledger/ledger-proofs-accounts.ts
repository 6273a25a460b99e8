import { ACCOUNT, type LedgerProof } from './ledger-proof';

/** Proofs about transactions, entries and balances. */
export const transactionsSumToZero: LedgerProof = {
  name: 'transactions',
  window: 'moves',
  promise: 'every transaction has entries, names them, and they sum to zero',
  sql: `
    SELECT t.transaction_id AS subject,
           count(e.line) || ' entries sum to ' || coalesce(sum(e.amount_units), 0) AS problem
    FROM transactions t LEFT JOIN entries e USING (transaction_id)
    GROUP BY t.transaction_id HAVING count(e.line) < 2 OR sum(e.amount_units) <> 0
    UNION ALL
    SELECT t.transaction_id, 'names entries ' || t.first_entry_id || ' to ' || t.last_entry_id || ' of the accounts '
             || t.account_ids::text || ', has entry ' || e.entry_id || ' of account ' || e.account_id
    FROM transactions t JOIN entries e USING (transaction_id) WHERE t.account_ids IS NOT NULL
      AND (e.entry_id NOT BETWEEN t.first_entry_id AND t.last_entry_id OR e.account_id <> ALL (t.account_ids))`,
};

export const entriesBelong: LedgerProof = {
  name: 'entries',
  window: 'moves',
  promise: 'every entry belongs to a transaction and an account, and every account to its user',
  sql: `
    SELECT e.transaction_id || ' line ' || e.line AS subject,
           CASE WHEN t.transaction_id IS NULL THEN 'its transaction is missing'
                ELSE 'account ' || e.account_id || ' is missing' END AS problem
    FROM entries e LEFT JOIN transactions t USING (transaction_id) LEFT JOIN accounts a USING (account_id)
    WHERE t.transaction_id IS NULL OR a.account_id IS NULL
    UNION ALL
    SELECT 'pending roll-up of ' || p.amount_units || ' units', 'account ' || p.account_id || ' takes no roll-ups'
    FROM pending_rollups p LEFT JOIN accounts a USING (account_id) WHERE a.hot IS NOT TRUE
    UNION ALL
    SELECT ${ACCOUNT}, 'its user is missing' FROM accounts a LEFT JOIN users u USING (user_id)
    WHERE a.user_id IS NOT NULL AND u.user_id IS NULL`,
};

export const balancesMatchEntries: LedgerProof = {
  name: 'balances',
  window: 'moves',
  promise: 'each balance, with what waits to be rolled up, is the sum of its entries',
  sql: `
    SELECT ${ACCOUNT} AS subject,
           'holds ' || a.balance_units || ', its entries sum to ' || coalesce(e.total, 0) + coalesce(o.units, 0) AS problem
    FROM account_balances a LEFT JOIN openings o USING (account_id)
    LEFT JOIN (SELECT account_id, sum(amount_units) AS total FROM entries GROUP BY account_id) e USING (account_id)
    WHERE a.balance_units <> coalesce(e.total, 0) + coalesce(o.units, 0)`,
};

export const chainsUnbroken: LedgerProof = {
  name: 'chains',
  window: 'moves',
  promise:
    'on locked accounts each entry starts at the balance that the one before left, with no version missing',
  sql: `
    WITH chain AS (
      SELECT e.*, coalesce(lag(e.balance_after_units) OVER in_order, o.units) AS left_at,
             row_number() OVER in_order + coalesce(o.entries, 0) AS nth
      FROM entries e JOIN accounts a USING (account_id) LEFT JOIN openings o USING (account_id) WHERE NOT a.hot
      WINDOW in_order AS (PARTITION BY e.account_id ORDER BY e.entry_id)
    )
    SELECT c.transaction_id || ' line ' || c.line AS subject,
           'account ' || c.account_id || ' entry ' || c.nth || ' has version ' || coalesce(c.account_version::text, 'none')
             || ', runs from ' || coalesce(c.balance_before_units::text, 'nothing') || ' to '
             || coalesce(c.balance_after_units::text, 'nothing') || ' by ' || c.amount_units
             || ', the one before left ' || coalesce(c.left_at, 0) AS problem
    FROM chain c
    WHERE c.account_version IS DISTINCT FROM c.nth OR c.balance_before_units IS DISTINCT FROM coalesce(c.left_at, 0)
       OR c.balance_after_units IS DISTINCT FROM c.balance_before_units + c.amount_units
    UNION ALL
    SELECT ${ACCOUNT}, 'is at version ' || a.version || ' with ' || coalesce(n.entries, 0) + coalesce(o.entries, 0)
      || ' entries'
    FROM accounts a LEFT JOIN openings o USING (account_id)
    LEFT JOIN (SELECT account_id, count(*) AS entries FROM entries GROUP BY account_id) n USING (account_id)
    WHERE NOT a.hot AND a.version <> coalesce(n.entries, 0) + coalesce(o.entries, 0)`,
};

export const noneNegative: LedgerProof = {
  name: 'not negative',
  window: 'all',
  promise: 'nothing but platform and cash is below zero',
  sql: `
    SELECT ${ACCOUNT} AS subject, 'holds ' || a.balance_units AS problem
    FROM account_balances a WHERE a.balance_units < 0 AND a.kind NOT IN ('platform', 'cash')`,
};

export const escrowIsOpenHolds: LedgerProof = {
  name: 'escrow',
  window: 'open',
  promise: "each buyer's escrow is the sum of their open holds",
  sql: `
    SELECT ${ACCOUNT} AS subject, 'holds ' || a.balance_units || ', open holds sum to ' || coalesce(h.total, 0) AS problem
    FROM accounts a
    LEFT JOIN (SELECT buyer_user_id, sum(amount_units) AS total FROM holds WHERE state = 'open' GROUP BY buyer_user_id) h
      ON h.buyer_user_id = a.user_id
    WHERE a.kind = 'escrow' AND a.balance_units <> coalesce(h.total, 0)
    UNION ALL
    SELECT h.invocation_id, 'its buyer ' || h.buyer_user_id || ' has no escrow account' FROM holds h
    WHERE NOT EXISTS (SELECT FROM accounts a WHERE a.user_id = h.buyer_user_id AND a.kind = 'escrow')`,
};

export const clearingIsEmpty: LedgerProof = {
  name: 'clearing',
  window: 'all',
  promise: 'clearing accounts are zero when nothing is on its way',
  sql: `
    SELECT ${ACCOUNT} AS subject, 'holds ' || a.balance_units AS problem
    FROM account_balances a WHERE a.kind = 'topup_clearing' AND a.balance_units <> 0
    UNION ALL
    SELECT ${ACCOUNT}, 'holds ' || a.balance_units || ', payouts on their way sum to ' || p.total
    FROM account_balances a, (SELECT coalesce(sum(amount_units), 0) AS total FROM payouts
                              WHERE status IN ('reserving', 'pending', 'processing')) p
    WHERE a.kind = 'payout_clearing' AND a.balance_units <> p.total`,
};
