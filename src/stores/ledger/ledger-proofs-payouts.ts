import { ACCOUNT, type LedgerProof } from './ledger-proof';

/** Proofs about outgoing money (docs/payouts.md). */
export const payableIsOpenLots: LedgerProof = {
  name: 'payable',
  promise: "each developer's payable is what is left of their lots and carries outside payouts",
  sql: `
    SELECT ${ACCOUNT} AS subject, 'holds ' || a.balance_units || ', its lots sum to ' || coalesce(l.total, 0)
           || CASE WHEN c.total > 0 THEN ', its carries to ' || c.total ELSE '' END AS problem
    FROM account_balances a
    LEFT JOIN (SELECT developer_user_id, sum(net_units - recovered_units) AS total FROM earnings
               WHERE payout_id IS NULL GROUP BY developer_user_id) l ON l.developer_user_id = a.user_id
    LEFT JOIN (SELECT developer_user_id, sum(amount_units - recovered_units) AS total FROM payout_carries
               WHERE into_payout_id IS NULL GROUP BY developer_user_id) c ON c.developer_user_id = a.user_id
    WHERE a.kind = 'payable' AND a.balance_units <> coalesce(l.total, 0) + coalesce(c.total, 0)`,
};

export const earningDaysAreSums: LedgerProof = {
  name: 'earning days',
  promise: "the sums of each developer's days are those of the lots that mature on them",
  sql: `
    WITH made AS (
      SELECT e.developer_user_id, (e.matures_at AT TIME ZONE 'UTC')::date AS matures_on, count(o.units) AS lots,
             coalesce(sum(o.units), 0) AS units, coalesce(sum(o.units) FILTER (WHERE e.dispute_open), 0) AS disputed,
             coalesce(sum(e.net_units - coalesce(e.returned_net_units, 0)) FILTER (WHERE e.clawed_back_at IS NULL), 0) AS earned
      FROM earnings e CROSS JOIN LATERAL (SELECT CASE WHEN e.payout_id IS NULL AND e.recovered_units < e.net_units
                                                 THEN e.net_units - e.recovered_units END AS units) o
      GROUP BY 1, 2
    ), summed AS (
      SELECT developer_user_id, matures_on, sum(lots) AS lots, sum(open_units) AS units,
             sum(disputed_units) AS disputed, sum(earned_units) AS earned
      FROM earning_day_lots GROUP BY 1, 2
    )
    SELECT developer_user_id || ' ' || matures_on AS subject,
           'the day says ' || ROW(coalesce(s.lots, 0), coalesce(s.units, 0), coalesce(s.disputed, 0), coalesce(s.earned, 0))
             || ' (lots, open, disputed, earned), its lots say '
             || ROW(coalesce(m.lots, 0), coalesce(m.units, 0), coalesce(m.disputed, 0), coalesce(m.earned, 0)) AS problem
    FROM made m FULL JOIN summed s USING (developer_user_id, matures_on)
    WHERE (coalesce(s.lots, 0), coalesce(s.units, 0), coalesce(s.disputed, 0), coalesce(s.earned, 0))
      <> (coalesce(m.lots, 0), coalesce(m.units, 0), coalesce(m.disputed, 0), coalesce(m.earned, 0))
    UNION ALL
    SELECT developer_user_id, 'the total says ' || ROW(coalesce(t.units, 0), coalesce(t.disputed, 0), coalesce(t.earned, 0))
             || ' (open, disputed, earned), the days say ' || ROW(d.units, d.disputed, d.earned)
    FROM (SELECT developer_user_id, sum(units) AS units, sum(disputed) AS disputed, sum(earned) AS earned
          FROM summed GROUP BY 1) d
    FULL JOIN (SELECT developer_user_id, sum(open_units) AS units, sum(disputed_units) AS disputed, sum(earned_units) AS earned
               FROM earning_sums GROUP BY 1) t USING (developer_user_id)
    WHERE (coalesce(t.units, 0), coalesce(t.disputed, 0), coalesce(t.earned, 0))
      <> (coalesce(d.units, 0), coalesce(d.disputed, 0), coalesce(d.earned, 0))`,
};

export const payoutsTakeWholeLots: LedgerProof = {
  name: 'payouts',
  promise: 'each payout is the sum of its own lots and carries, each in no other payout, less its remainder',
  sql: `
    SELECT p.payout_id AS subject, 'takes ' || p.lots_units || ' of lots and ' || p.carried_units || ' carried for '
             || p.developer_user_id || ', its lots sum to ' || coalesce(l.total, 0) || ', its carries to '
             || coalesce(c.total, 0) AS problem
    FROM payouts p
    LEFT JOIN (SELECT payout_id, sum(net_units - recovered_units) AS total, min(developer_user_id) AS first_owner,
                      max(developer_user_id) AS last_owner FROM earnings
               WHERE payout_id IS NOT NULL GROUP BY payout_id) l USING (payout_id)
    LEFT JOIN (SELECT into_payout_id AS payout_id, sum(amount_units - recovered_units) AS total,
                      min(developer_user_id) AS first_owner, max(developer_user_id) AS last_owner FROM payout_carries
               WHERE into_payout_id IS NOT NULL GROUP BY into_payout_id) c USING (payout_id)
    WHERE CASE WHEN p.status = 'rolled_over' THEN num_nonnulls(l.total, c.total) > 0
      ELSE (p.lots_units, p.carried_units) IS DISTINCT FROM (coalesce(l.total, 0), coalesce(c.total, 0))
        OR p.amount_units + p.remainder_units <> p.lots_units + p.carried_units
        OR p.developer_user_id <> ANY (ARRAY[coalesce(l.first_owner, p.developer_user_id),
          coalesce(l.last_owner, p.developer_user_id), coalesce(c.first_owner, p.developer_user_id),
          coalesce(c.last_owner, p.developer_user_id)]) END
    UNION ALL
    SELECT e.invocation_id, 'is in payout ' || e.payout_id || ', which does not exist'
    FROM earnings e LEFT JOIN payouts p USING (payout_id) WHERE e.payout_id IS NOT NULL AND p.payout_id IS NULL
    UNION ALL
    SELECT p.payout_id, 'gave back ' || coalesce(g.remainder, 0) || ' and ' || coalesce(g.returned, 0)
    FROM payouts p LEFT JOIN (
      SELECT payout_id, sum(amount_units) FILTER (WHERE kind = 'remainder') AS remainder,
             sum(amount_units) FILTER (WHERE kind = 'returned') AS returned
      FROM payout_carries GROUP BY payout_id) g USING (payout_id)
    WHERE coalesce(g.remainder, 0) <> p.remainder_units
       OR coalesce(g.returned, 0) <> CASE WHEN p.status IN ('failed', 'returned') THEN p.amount_units ELSE 0 END`,
};

export const payoutsMovedAsWritten: LedgerProof = {
  name: 'payout moves',
  window: 'payouts',
  promise: 'each payout moved its amount out of payable once, and to the bank or back as its status says',
  sql: `
    WITH expected AS (
      SELECT p.payout_id, m.step, m.owner, sum(m.amount) AS amount FROM payouts p
      CROSS JOIN LATERAL (VALUES
        ('reserve', p.developer_user_id, -p.amount_units), ('reserve', 'payout_clearing', p.amount_units),
        ('paid', 'payout_clearing', CASE WHEN p.status IN ('paid', 'returned') THEN -p.amount_units END),
        ('paid', 'cash', CASE WHEN p.status IN ('paid', 'returned') THEN p.amount_units END),
        ('late-return', 'cash', CASE WHEN p.status = 'returned' THEN -p.amount_units END),
        ('late-return', p.developer_user_id, CASE WHEN p.status = 'returned' THEN p.amount_units END),
        ('return', 'payout_clearing', CASE WHEN p.status = 'failed' THEN -p.amount_units END),
        ('return', p.developer_user_id, CASE WHEN p.status = 'failed' THEN p.amount_units END)) AS m(step, owner, amount)
      WHERE p.status <> 'rolled_over' AND m.amount IS NOT NULL GROUP BY p.payout_id, m.step, m.owner
    ), actual AS (
      SELECT split_part(t.reference, '/', 2) AS payout_id, split_part(t.reference, '/', 3) AS step,
             coalesce(a.user_id, a.kind) AS owner, sum(e.amount_units) AS amount
      FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.kind = 'payout' GROUP BY 1, 2, 3
    )
    SELECT 'payout/' || payout_id || '/' || step AS subject, owner || ' moved ' || coalesce(actual.amount, 0)
             || ', the payout says ' || coalesce(expected.amount, 0) AS problem
    FROM expected FULL JOIN actual USING (payout_id, step, owner)
    WHERE coalesce(expected.amount, 0) <> coalesce(actual.amount, 0)`,
};

export const filesNameTheirPayouts: LedgerProof = {
  name: 'payout files',
  window: 'all',
  promise: 'the payouts of each file are as many, and sum to as much, as the file says',
  sql: `
    SELECT f.file_id AS subject, 'says ' || f.payouts || ' payouts over ' || f.total_minor || ', there are '
             || count(p.*) || ' over ' || coalesce(sum(p.amount_minor), 0) AS problem
    FROM payout_files f LEFT JOIN payouts p USING (file_id) GROUP BY f.file_id
    HAVING count(p.*) <> f.payouts OR coalesce(sum(p.amount_minor), 0) <> f.total_minor
       OR bool_or((p.method, p.as_of, p.attempt, p.currency)
         IS DISTINCT FROM (f.method, f.as_of, f.attempt, f.currency))`,
};

export const transfersNameTheirPayouts: LedgerProof = {
  name: 'transfers',
  window: 'all',
  promise: 'the payouts of each transfer in USDC are as many, sum to as much, and are as far, as it says',
  sql: `
    SELECT t.transfer_id AS subject, 'is ' || t.state || ' and says ' || t.payouts || ' payouts over '
             || t.total_minor || ', there are ' || count(p.*) || ' over ' || coalesce(sum(p.amount_minor), 0)
             || coalesce(', ' || string_agg(DISTINCT p.status, ' and '), '') AS problem
    FROM payout_transfers t LEFT JOIN payouts p USING (transfer_id) GROUP BY t.transfer_id
    HAVING count(p.*) <> t.payouts OR coalesce(sum(p.amount_minor), 0) <> t.total_minor
       OR bool_or((p.method, p.as_of, p.attempt, p.currency) IS DISTINCT FROM ('usdc', t.as_of, t.attempt, 'USDC'))
       OR bool_or(p.status <> CASE t.state WHEN 'confirmed' THEN 'paid' WHEN 'failed' THEN 'failed'
                                           ELSE 'processing' END)
    UNION ALL
    SELECT p.payout_id, 'is ' || p.status || ' in USDC without a transfer' FROM payouts p
    WHERE p.method = 'usdc' AND p.status IN ('processing', 'paid') AND p.transfer_id IS NULL`,
};
