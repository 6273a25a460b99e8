import type { LedgerProof } from './ledger-proof';

/** Compares the spending of API keys with the calls made with them. */
export const keysSpentTheirCharges: LedgerProof = {
  name: 'keys',
  promise:
    'each API key has spent what its calls were charged and did not get back, within a cap of its lifetime, for its owner; the window of its cap counts all of them that were accepted in it',
  sql: `
    SELECT k.key_id AS subject, 'it has spent ' || k.spent_units || coalesce(' of ' || k.credit_cap_units, '')
             || ', its calls were charged ' || coalesce(c.total, 0)
             || CASE WHEN k.window_units < c.in_window THEN ', those of its window ' || c.in_window || ', of which it counts ' || k.window_units
                     ELSE '' END
             || CASE WHEN c.foreigners > 0 THEN ', ' || c.foreigners || ' of them were made for others' ELSE '' END AS problem
    FROM api_keys k LEFT JOIN (
      SELECT o.key_id, sum(i.charged_units - coalesce(i.returned_units, 0)) FILTER (WHERE i.status IN ('succeeded', 'failed')) AS total,
             sum(i.charged_units - coalesce(i.returned_units, 0)) FILTER (WHERE i.status IN ('succeeded', 'failed') AND i.invoked_at >= o.window_began_at
               AND i.invoked_at < o.window_ends_at) AS in_window,
             count(*) FILTER (WHERE i.buyer_user_id <> o.user_id) AS foreigners
      FROM invocations i JOIN api_keys p ON p.key_id = i.key_id JOIN api_keys o ON o.key_id IN (p.key_id, p.parent_key_id)
      GROUP BY o.key_id) c USING (key_id)
    WHERE k.spent_units <> coalesce(c.total, 0) OR c.foreigners > 0 OR k.window_units > k.spent_units OR k.window_units < c.in_window
      OR k.cap_window = 'lifetime' AND k.spent_units > k.credit_cap_units`,
};

/** Compares the windows of budgets with the calls that they count. */
export const budgetsCountTheirCalls: LedgerProof = {
  name: 'budgets',
  promise:
    'the window of each budget counts what its calls were charged and did not get back, for its owner, and of a member those that a member made',
  sql: `
    SELECT b.budget_id AS subject, 'it counts ' || b.window_units || ', its calls were charged ' || coalesce(c.total, 0) AS problem
    FROM budgets b LEFT JOIN (
      SELECT o.budget_id, sum(i.charged_units - coalesce(i.returned_units, 0)) FILTER (WHERE i.status IN ('succeeded', 'failed')) AS total,
             count(*) FILTER (WHERE i.buyer_user_id <> o.user_id OR o.member_user_id IS NOT NULL AND i.member_user_id IS NULL) AS foreigners
      FROM invocations i CROSS JOIN LATERAL unnest(i.budget_ids) counted (budget_id) JOIN budgets o USING (budget_id)
      WHERE i.invoked_at >= o.window_began_at AND coalesce(i.invoked_at < o.window_ends_at, true)
      GROUP BY o.budget_id) c USING (budget_id)
    WHERE b.window_units <> coalesce(c.total, 0) OR c.foreigners > 0`,
};
