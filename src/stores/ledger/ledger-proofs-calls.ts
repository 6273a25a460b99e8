import type { LedgerProof } from './ledger-proof';

/**
 * Compares the movements that holds and lots require with those in the entries, per reference and owner. Finds
 * missing, duplicate and forged transactions, wrong fees, and money of a call on a wrong account.
 */
export const callsMovedAsHeld: LedgerProof = {
  name: 'calls',
  window: 'calls',
  promise:
    'each call moved what its hold says: held, then charged (net and fee at the rate of its version) or returned, once',
  sql: `
    WITH rates AS (
      SELECT h.invocation_id, coalesce(v.fee_percent, l.fee_percent, s.fee_percent) AS fee_percent
      FROM platform_settings s CROSS JOIN holds h LEFT JOIN agent_versions v USING (version_id)
      LEFT JOIN earnings l ON l.invocation_id = h.invocation_id
    ), expected AS (
      SELECT h.invocation_id, m.step, m.owner, sum(m.amount) AS amount
      FROM holds h JOIN rates r USING (invocation_id) CROSS JOIN LATERAL (VALUES
        ('hold', 'wallet of ' || h.buyer_user_id, -h.amount_units),
        ('hold', 'escrow of ' || h.buyer_user_id, h.amount_units),
        (CASE h.state WHEN 'captured' THEN 'capture' WHEN 'open' THEN 'hold' ELSE 'void' END,
          'escrow of ' || h.buyer_user_id, CASE h.state WHEN 'open' THEN 0 ELSE -h.amount_units END),
        (CASE h.state WHEN 'captured' THEN 'capture' WHEN 'open' THEN 'hold' ELSE 'void' END,
          'wallet of ' || h.buyer_user_id,
          CASE h.state WHEN 'open' THEN 0 ELSE h.amount_units - coalesce(h.captured_units, 0) END),
        ('capture', 'payable of ' || h.developer_user_id, coalesce(h.captured_units, 0) * (100 - r.fee_percent) / 100),
        ('capture', 'fees', coalesce(h.captured_units, 0) * r.fee_percent / 100)
      ) AS m(step, owner, amount)
      GROUP BY h.invocation_id, m.step, m.owner
    ), actual AS (
      SELECT split_part(t.reference, '/', 2) AS invocation_id, split_part(t.reference, '/', 3) AS step,
             a.kind || coalesce(' of ' || a.user_id, '') AS owner, sum(e.amount_units) AS amount
      FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.reference LIKE 'invocation/%' AND t.reference NOT LIKE '%/clawback'
      GROUP BY 1, 2, 3
    )
    SELECT 'invocation/' || invocation_id || '/' || step AS subject,
           owner || ' moved ' || coalesce(actual.amount, 0) || ', the hold says ' || coalesce(expected.amount, 0) AS problem
    FROM expected FULL JOIN actual USING (invocation_id, step, owner)
    WHERE coalesce(expected.amount, 0) <> coalesce(actual.amount, 0)
    UNION ALL
    SELECT t.reference, CASE WHEN h.invocation_id IS NULL THEN 'there is no such hold'
      ELSE 'the hold is ' || h.state || ', ' || count(*) || ' transactions ended it' END
    FROM transactions t LEFT JOIN holds h ON h.invocation_id = split_part(t.reference, '/', 2)
    WHERE t.reference LIKE 'invocation/%/capture' OR t.reference LIKE 'invocation/%/void'
    GROUP BY t.reference, h.invocation_id, h.state
    HAVING h.state IS DISTINCT FROM CASE WHEN t.reference LIKE '%/capture' THEN 'captured'
      WHEN h.state = 'disputed' THEN 'disputed' ELSE 'voided' END
    UNION ALL
    SELECT t.reference, 'is transaction ' || t.transaction_id || ', the hold names '
      || coalesce(CASE WHEN t.reference LIKE '%/hold' THEN h.hold_transaction_id ELSE h.end_transaction_id END, 'none')
    FROM transactions t JOIN holds h ON h.invocation_id = split_part(t.reference, '/', 2)
    WHERE t.reference LIKE 'invocation/%' AND t.reference NOT LIKE '%/clawback' AND t.transaction_id IS DISTINCT FROM
      coalesce(CASE WHEN t.reference LIKE '%/hold' THEN h.hold_transaction_id ELSE h.end_transaction_id END,
        (SELECT r.transaction_id FROM transaction_references r WHERE r.reference = t.reference))`,
};

export const lotsMatchCaptures: LedgerProof = {
  name: 'lots',
  window: 'calls',
  promise: 'each charge made one lot, gross = net + fee at the rate of its version, in at most one payout',
  sql: `
    SELECT coalesce(l.invocation_id, h.invocation_id) AS subject,
           CASE WHEN l.invocation_id IS NULL THEN 'charged ' || h.captured_units || ' and made no lot'
                WHEN h.invocation_id IS NULL THEN 'a lot without a charge'
                ELSE 'charged ' || h.captured_units || ', the lot says ' || l.gross_units || ' = ' || l.net_units || ' + '
                  || l.fee_units || ' for ' || l.developer_user_id END AS problem
    FROM earnings l FULL JOIN (SELECT * FROM holds WHERE captured_units > 0) h USING (invocation_id)
      LEFT JOIN agent_versions v ON v.version_id = h.version_id
    WHERE (l.gross_units, l.developer_user_id) IS DISTINCT FROM (h.captured_units, h.developer_user_id)
       OR l.gross_units <> l.net_units + l.fee_units OR l.fee_units * 100 <> l.gross_units * l.fee_percent
       OR l.fee_percent <> v.fee_percent
       OR l.recovered_units NOT BETWEEN 0 AND l.net_units`,
};

export const clawbacksMovedAsLots: LedgerProof = {
  name: 'clawbacks',
  promise:
    'each lot taken back, whole or in part, returned it: the share of the fee from fees, that of the net from the developer, the rest owed; to the buyer, and to the bond what slashes had refunded',
  sql: `
    WITH expected AS (
      SELECT l.invocation_id, m.owner, sum(m.amount) AS amount
      FROM earnings l JOIN holds h USING (invocation_id) LEFT JOIN clawback_debts d USING (invocation_id)
      CROSS JOIN LATERAL (SELECT coalesce(l.returned_fee_units, l.fee_units) AS fee,
        coalesce(l.returned_net_units, l.net_units) AS net,
        coalesce(l.returned_fee_units + l.returned_net_units - l.returned_units, (SELECT sum(c.refund_units)
          FROM slash_calls c WHERE c.invocation_id = l.invocation_id AND c.refund_units > 0), 0) AS slashed) t
      CROSS JOIN LATERAL (VALUES
        (h.buyer_user_id, t.fee + t.net - t.slashed),
        (l.developer_user_id, coalesce(d.owed_units, 0) - t.net + t.slashed),
        ('fees', -t.fee), ('platform', -coalesce(d.owed_units, 0))) AS m(owner, amount)
      WHERE l.clawed_back_at IS NOT NULL OR l.returned_units IS NOT NULL OR d.invocation_id IS NOT NULL
      GROUP BY l.invocation_id, m.owner
    ), actual AS (
      SELECT split_part(t.reference, '/', 2) AS invocation_id, coalesce(a.user_id, a.kind) AS owner,
             sum(e.amount_units) AS amount
      FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.reference LIKE 'invocation/%/clawback' GROUP BY 1, 2
    )
    SELECT 'invocation/' || invocation_id || '/clawback' AS subject,
           owner || ' moved ' || coalesce(actual.amount, 0) || ', the lot says ' || coalesce(expected.amount, 0) AS problem
    FROM expected FULL JOIN actual USING (invocation_id, owner)
    WHERE coalesce(expected.amount, 0) <> coalesce(actual.amount, 0)
    UNION ALL
    SELECT l.invocation_id, 'returned ' || l.returned_units || ' of ' || l.gross_units || ', a fee of '
      || l.returned_fee_units || ' and a net of ' || l.returned_net_units || ', which are no shares of '
      || l.fee_units || ' and ' || l.net_units
    FROM earnings l CROSS JOIN LATERAL (SELECT l.returned_fee_units + l.returned_net_units AS undone) u
    WHERE l.returned_units IS NOT NULL AND NOT coalesce(l.clawed_back_at IS NULL
      AND l.returned_units BETWEEN 1 AND u.undone AND u.undone < l.gross_units
      AND l.returned_fee_units = div(2 * u.undone::numeric * l.fee_units + l.gross_units - 1, 2 * l.gross_units), false)`,
};

export const invocationsTellTheTruth: LedgerProof = {
  name: 'invocations',
  window: 'calls',
  promise: 'each invocation tells its buyer what its hold says',
  sql: `
      SELECT coalesce(i.invocation_id, h.invocation_id) AS subject,
             coalesce('it is ' || i.status || ', charged ' || coalesce(i.charged_units, 0), 'no such invocation')
               || ', ' || coalesce('its hold is ' || h.state || ' at ' || coalesce(h.captured_units, 0), 'it has no hold')
               || CASE WHEN l.clawed_back_at IS NOT NULL THEN ', taken back' ELSE '' END
               || coalesce(', ' || i.returned_units || ' returned', '') || coalesce(', of its lot ' || l.returned_units, '')
               AS problem
      FROM invocations i FULL JOIN holds h USING (invocation_id) LEFT JOIN earnings l USING (invocation_id)
      WHERE NOT coalesce(CASE i.status
        WHEN 'pending' THEN h.invocation_id IS NULL
        WHEN 'running' THEN h.state = 'open'
        WHEN 'succeeded' THEN h.state = 'captured' AND i.charged_units = h.captured_units AND l.clawed_back_at IS NULL
          AND i.returned_units IS NOT DISTINCT FROM l.returned_units
        WHEN 'failed' THEN coalesce(h.state = 'voided' AND i.charged_units = 0 OR h.state = 'captured'
          AND h.captured_units > 0 AND i.charged_units = h.captured_units AND l.clawed_back_at IS NULL
          AND i.returned_units IS NOT DISTINCT FROM l.returned_units, true)
        WHEN 'disputed' THEN h.state = 'disputed' OR (h.state = 'captured'
          AND (l.clawed_back_at IS NOT NULL OR h.captured_units = 0) AND i.returned_units IS NULL)
        END, false)`,
};

/**
 * Finds holds that no call will end. The lease sweep ends what is past its lease: it has had its time when a worker
 * has reported to this database. A database that was just restored has no reports, because their table is not in
 * backups.
 */
export const openHoldsAreOpenCalls: LedgerProof = {
  name: 'open holds',
  window: 'open',
  promise:
    'each open hold belongs to a call that runs, and the lease sweep ended it within ten minutes of its lease',
  sql: `
      SELECT h.invocation_id AS subject, 'holds ' || h.amount_units || ' since ' || h.created_at || ', '
          || CASE WHEN i.invocation_id IS NULL THEN 'and there is no such call'
             WHEN i.status <> 'running' THEN 'although its call is ' || i.status
             ELSE 'although its lease ended at ' || h.lease_until END AS problem
      FROM holds h LEFT JOIN invocations i USING (invocation_id)
      WHERE h.state = 'open' AND (i.status IS DISTINCT FROM 'running'
        OR h.lease_until < now() - interval '10 minutes' AND EXISTS (SELECT FROM loop_reports))`,
};
