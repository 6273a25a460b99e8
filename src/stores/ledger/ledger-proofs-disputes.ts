import type { LedgerProof } from './ledger-proof';

/**
 * Compares disputes with call, hold and lot, and offers with their disputes. Finds a refund that was reported but not
 * made, or made twice.
 */
export const disputesTellTheTruth: LedgerProof = {
  name: 'disputes',
  window: 'calls',
  promise:
    'each dispute refunded what its hold and lot say, all or a part, and keeps its lot from payouts exactly while it is undecided; offers end with it',
  sql: `
    SELECT coalesce(d.dispute_id, i.invocation_id) AS subject,
           coalesce(d.status || ', ' || coalesce(d.resolution, 'undecided') || ', refunded ' || d.refunded_units, 'no dispute')
             || '; the call is ' || i.status || ', its hold ' || coalesce(h.state || ' at ' || h.amount_units, 'missing')
             || coalesce(', its lot ' || l.gross_units || CASE WHEN l.dispute_open THEN ', in dispute' ELSE '' END
               || CASE WHEN l.clawed_back_at IS NOT NULL THEN ', taken back' ELSE '' END, '') AS problem
    FROM invocations i FULL JOIN disputes d USING (invocation_id)
    LEFT JOIN holds h USING (invocation_id) LEFT JOIN earnings l USING (invocation_id)
    WHERE NOT coalesce(CASE
      WHEN d.dispute_id IS NULL THEN i.status <> 'disputed' AND NOT coalesce(l.dispute_open, false)
        AND i.returned_units IS NULL
      WHEN d.resolution = 'call_in_progress' THEN
        i.status = 'disputed' AND h.state = 'disputed' AND d.refunded_units = h.amount_units
      WHEN d.status IN ('accepted', 'won') AND l.returned_units IS NOT NULL THEN h.state = 'captured'
        AND (i.status = 'succeeded' OR i.status = 'failed' AND i.charged_units > 0) AND l.clawed_back_at IS NULL
        AND d.refunded_units = l.returned_units AND NOT l.dispute_open
      WHEN d.status IN ('accepted', 'won') THEN i.status = 'disputed' AND h.state = 'captured'
        AND d.refunded_units = h.captured_units - (SELECT coalesce(sum(c.refund_units), 0) FROM slash_calls c
          WHERE c.invocation_id = d.invocation_id AND c.refund_units > 0) AND NOT coalesce(l.dispute_open, false)
        AND (l.clawed_back_at IS NOT NULL OR h.captured_units = 0)
      ELSE (i.status = 'succeeded' OR i.status = 'failed' AND i.charged_units > 0) AND h.state = 'captured' AND l.clawed_back_at IS NULL
        AND coalesce(l.dispute_open = (d.status IN ('open', 'contested')), h.captured_units = 0) AND i.returned_units IS NULL
      END, false)
    UNION ALL
    SELECT d.dispute_id, 'is ' || d.status || ', ' || coalesce(d.resolution, 'undecided') || ', refunded ' || d.refunded_units
      || '; its offers: ' || coalesce(o.offers, 'none')
    FROM disputes d LEFT JOIN LATERAL (
      SELECT string_agg(f.units || ' ' || f.status, ', ' ORDER BY f.offer_id) AS offers,
             count(*) FILTER (WHERE f.status = 'open') AS open, max(f.units) FILTER (WHERE f.status = 'accepted') AS accepted,
             count(*) FILTER (WHERE f.status = 'accepted') AS taken
      FROM dispute_offers f WHERE f.dispute_id = d.dispute_id) o ON true
    WHERE o.open > 0 AND d.status <> 'contested' OR o.open > 1
      OR o.taken <> CASE WHEN d.resolution = 'offer_accepted' THEN 1 ELSE 0 END OR d.refunded_units > o.accepted`,
};
