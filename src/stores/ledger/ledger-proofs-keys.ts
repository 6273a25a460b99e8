import type { LedgerProof } from './ledger-proof';

/** Compares the spending of API keys with the calls made with them. */
export const keysSpentTheirCharges: LedgerProof = {
  name: 'keys',
  promise:
    'each API key has spent what its calls were charged and did not get back, within a cap of its lifetime, for its owner',
  sql: `
    SELECT k.key_id AS subject, 'it has spent ' || k.spent_units || coalesce(' of ' || k.credit_cap_units, '')
             || ', its calls were charged ' || coalesce(c.total, 0)
             || CASE WHEN c.foreigners > 0 THEN ', ' || c.foreigners || ' of them were made for others' ELSE '' END AS problem
    FROM api_keys k LEFT JOIN (
      SELECT key_id, sum(i.charged_units) FILTER (WHERE i.status IN ('succeeded', 'failed')) AS total,
             count(*) FILTER (WHERE i.buyer_user_id <> o.user_id) AS foreigners
      FROM invocations i JOIN api_keys o USING (key_id) GROUP BY key_id) c USING (key_id)
    WHERE k.spent_units <> coalesce(c.total, 0) OR c.foreigners > 0 OR k.window_units > k.spent_units
      OR k.cap_window = 'lifetime' AND k.spent_units > k.credit_cap_units`,
};
