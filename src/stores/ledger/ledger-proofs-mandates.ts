import type { LedgerProof } from './ledger-proof';

/** Each call under a mandate: one row for its own mandate and one for each mandate above it. */
const LEVELS = `WITH RECURSIVE level AS (
      SELECT i.invocation_id, i.buyer_user_id AS issuer_user_id, i.mandate_id, i.agent_id, i.status, i.price_units,
             i.invoked_at, coalesce(h.captured_units, 0) AS captured_units, coalesce(i.returned_units, 0) AS returned_units
      FROM invocations i LEFT JOIN holds h USING (invocation_id) WHERE i.mandate_id IS NOT NULL
      UNION ALL
      SELECT l.invocation_id, l.issuer_user_id, m.parent_id, l.agent_id, l.status, l.price_units, l.invoked_at,
             l.captured_units, l.returned_units
      FROM level l JOIN mandates m USING (issuer_user_id, mandate_id) WHERE m.parent_id IS NOT NULL
    )`;

/** Compares the reserved and spent amounts of mandates with the calls made under them. */
export const mandatesFollowCalls: LedgerProof = {
  name: 'mandates',
  promise: 'each mandate has spent its charges, reserves for open calls only, and never more than its budget',
  sql: `
    ${LEVELS}, actual AS (
      SELECT issuer_user_id, mandate_id,
             coalesce(sum(price_units) FILTER (WHERE status IN ('pending', 'running')), 0) AS reserved,
             coalesce(sum(captured_units - returned_units) FILTER (WHERE status IN ('succeeded', 'failed')), 0) AS spent,
             count(*) FILTER (WHERE status IN ('pending', 'running', 'succeeded')
               OR status = 'failed' AND captured_units > 0) AS uses
      FROM level GROUP BY issuer_user_id, mandate_id
    )
    SELECT mandate_id || ' of ' || issuer_user_id AS subject,
           coalesce('reserves ' || m.reserved_units || ', spent ' || m.spent_units || ' of ' || m.max_units || ' in '
             || m.occurrences || ' calls', 'there is no such mandate') || '; its calls reserve '
             || coalesce(a.reserved, 0) || ', spent ' || coalesce(a.spent, 0) || ' in ' || coalesce(a.uses, 0) AS problem
    FROM mandates m FULL JOIN actual a USING (issuer_user_id, mandate_id)
    WHERE (m.reserved_units, m.spent_units, m.occurrences)
          IS DISTINCT FROM (coalesce(a.reserved, 0), coalesce(a.spent, 0), coalesce(a.uses, 0))
       OR m.reserved_units + m.spent_units > m.max_units OR m.occurrences > m.max_occurrences`,
};

/** Compares calls with the limits of their mandate and of the mandates above it. */
export const callsWithinMandates: LedgerProof = {
  name: 'mandated calls',
  promise:
    'each call under a mandate is of an allowed agent, in time, within the limit of one call, and has its own proof',
  sql: `
    ${LEVELS}
    SELECT l.invocation_id AS subject, 'a call of ' || l.agent_id || ' for ' || l.captured_units || ' at '
      || l.invoked_at || ' is outside ' || l.mandate_id AS problem
    FROM level l JOIN mandates m USING (issuer_user_id, mandate_id)
    WHERE NOT coalesce(l.agent_id = ANY (m.payees), true) OR l.captured_units > m.max_call_units
       OR (l.status IN ('pending', 'running') AND l.price_units > m.max_call_units)
       OR l.invoked_at > m.expires_at + interval '2 minutes' OR l.invoked_at < m.not_before - interval '2 minutes'
    UNION ALL
    SELECT p.invocation_id, 'the proof ' || p.proof_jti || ' of ' || p.mandate_id || ' is for another call'
    FROM mandate_proofs p LEFT JOIN invocations i USING (invocation_id)
    WHERE (i.buyer_user_id, i.mandate_id) IS DISTINCT FROM (p.issuer_user_id, p.mandate_id)
    UNION ALL
    SELECT c.mandate_id || ' of ' || c.issuer_user_id, 'is wider than ' || c.parent_id
    FROM mandates c JOIN mandates m ON m.issuer_user_id = c.issuer_user_id AND m.mandate_id = c.parent_id
    WHERE c.max_units > m.max_units OR c.expires_at > m.expires_at OR c.depth <> m.depth + 1
       OR (m.max_call_units IS NOT NULL AND (c.max_call_units <= m.max_call_units) IS NOT true)
       OR (m.max_occurrences IS NOT NULL AND (c.max_occurrences <= m.max_occurrences) IS NOT true)
       OR (m.payees IS NOT NULL AND (c.payees <@ m.payees) IS NOT true)`,
};
