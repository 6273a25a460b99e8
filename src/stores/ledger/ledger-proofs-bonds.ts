import type { LedgerProof } from './ledger-proof';

/** Compares slashes and withdrawals with the movements in the entries. */
export const slashesMovedAsTold: LedgerProof = {
  name: 'slashes',
  promise:
    'each slash took its amount from the bond into the hold, and then gave the buyers of its calls at most their charges and the bond the rest, or the platform all of it',
  sql: `
    WITH expected AS (
      SELECT 'slash/' || s.slash_id || '/apply' AS reference, m.owner, m.amount FROM slashes s CROSS JOIN LATERAL (VALUES
        ('bond of ' || s.developer_user_id, -s.amount_units),
        ('slash_hold of ' || s.developer_user_id, s.amount_units)) AS m(owner, amount)
      UNION ALL
      SELECT 'slash/' || s.slash_id || '/return', m.owner, m.amount FROM slashes s CROSS JOIN LATERAL (
        SELECT CASE s.status WHEN 'final' THEN s.returned_units ELSE s.amount_units END AS rest) r
      CROSS JOIN LATERAL (VALUES
        ('bond of ' || s.developer_user_id, r.rest),
        ('slash_hold of ' || s.developer_user_id, -r.rest)) AS m(owner, amount)
      WHERE s.status IN ('overturned', 'final')
      UNION ALL
      SELECT 'slash/' || s.slash_id || '/penalty', m.owner, m.amount FROM slashes s CROSS JOIN LATERAL (VALUES
        ('platform', s.amount_units),
        ('slash_hold of ' || s.developer_user_id, -s.amount_units)) AS m(owner, amount)
      WHERE s.status = 'final' AND s.refund = 'none'
      UNION ALL
      SELECT 'slash/' || s.slash_id || '/refund/' || c.invocation_id, m.owner, m.amount
      FROM slashes s JOIN slash_calls c USING (slash_id) CROSS JOIN LATERAL (VALUES
        ('wallet of ' || c.buyer_user_id, c.refund_units),
        ('slash_hold of ' || s.developer_user_id, -c.refund_units)) AS m(owner, amount) WHERE c.refund_units > 0
      UNION ALL
      SELECT 'slash/' || s.slash_id || '/remedy/' || b.buyer_user_id, m.owner, m.amount
      FROM slashes s JOIN slash_buyers b USING (slash_id) CROSS JOIN LATERAL (VALUES
        ('wallet of ' || b.buyer_user_id, b.refund_units),
        ('slash_hold of ' || s.developer_user_id, -b.refund_units)) AS m(owner, amount) WHERE b.refund_units > 0
    ), actual AS (
      SELECT t.reference, a.kind || coalesce(' of ' || a.user_id, '') AS owner, sum(e.amount_units) AS amount
      FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.reference LIKE 'slash/%' GROUP BY 1, 2
    )
    SELECT reference AS subject,
           owner || ' moved ' || coalesce(actual.amount, 0) || ', the slash says ' || coalesce(expected.amount, 0) AS problem
    FROM expected FULL JOIN actual USING (reference, owner)
    WHERE coalesce(expected.amount, 0) <> coalesce(actual.amount, 0)
    UNION ALL
    SELECT s.slash_id, 'is ' || s.status || ' at ' || s.amount_units || ', its refunds sum to '
      || coalesce(c.total::text, 'nothing')
    FROM slashes s LEFT JOIN (SELECT slash_id, sum(refund_units) AS total FROM
        (SELECT slash_id, refund_units FROM slash_calls UNION ALL SELECT slash_id, refund_units FROM slash_buyers) r GROUP BY slash_id) c
      USING (slash_id)
    WHERE CASE s.status WHEN 'final' THEN c.total IS DISTINCT FROM CASE s.refund WHEN 'none'
        THEN 0 ELSE s.amount_units - s.returned_units END ELSE c.total IS NOT NULL END
    UNION ALL
    SELECT e.invocation_id, 'was charged ' || e.gross_units || ', slashes have refunded ' || r.total
      || coalesce(', a dispute ' || e.returned_units, '')
    FROM (SELECT invocation_id, sum(refund_units) AS total FROM slash_calls WHERE refund_units > 0 GROUP BY 1) r
    JOIN earnings e USING (invocation_id) WHERE r.total + coalesce(e.returned_units, 0) > e.gross_units`,
};

export const slashHoldsAreOpenSlashes: LedgerProof = {
  name: 'slash holds',
  window: 'all',
  promise: "each developer's slash hold is the sum of the slashes that are not decided",
  sql: `
    SELECT 'slash hold of ' || a.user_id AS subject,
           'holds ' || a.balance_units || ', undecided slashes sum to ' || coalesce(s.total, 0) AS problem
    FROM accounts a LEFT JOIN (SELECT developer_user_id, sum(amount_units) AS total FROM slashes
      WHERE status IN ('applied', 'contested') GROUP BY developer_user_id) s ON s.developer_user_id = a.user_id
    WHERE a.kind = 'slash_hold' AND a.balance_units <> coalesce(s.total, 0)`,
};

export const bondsMovedAsTold: LedgerProof = {
  name: 'bonds',
  promise:
    'deposits and withdrawals move between the wallet and the bond of one developer; each withdrawal as it says, once',
  sql: `
    SELECT t.reference AS subject, 'moved between ' || string_agg(a.kind || ' of ' || coalesce(a.user_id, 'the service')
      || ' ' || e.amount_units, ', ' ORDER BY e.line) AS problem
    FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
    WHERE t.kind IN ('bond_deposit', 'bond_release') GROUP BY t.reference, t.kind
    HAVING count(DISTINCT a.user_id) <> 1 OR count(*) <> 2
      OR coalesce(sum(e.amount_units) FILTER (WHERE a.kind = 'bond' AND (t.kind = 'bond_deposit') = (e.amount_units > 0)), 0) = 0
      OR coalesce(sum(e.amount_units) FILTER (WHERE a.kind IN ('bond', 'wallet')), 1) <> 0
    UNION ALL
    SELECT coalesce(w.withdrawal_id, r.withdrawal_id), 'paid ' || coalesce(r.units, 0) || ' to '
      || coalesce(r.user_id, 'nobody') || ', the withdrawal says ' || coalesce(w.paid_units, 0)
    FROM (SELECT * FROM bond_withdrawals WHERE paid_units > 0) w FULL JOIN (
      SELECT split_part(t.reference, '/', 2) AS withdrawal_id, a.user_id, e.amount_units AS units
      FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.kind = 'bond_release' AND a.kind = 'wallet') r USING (withdrawal_id)
    WHERE (w.developer_user_id, w.paid_units) IS DISTINCT FROM (r.user_id, r.units)`,
};
