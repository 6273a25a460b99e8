import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

/** One line of a statement. The lines of a payout sum to what it paid. */
export interface StatementLine {
  type: 'invocation_earning' | 'payout_remainder' | 'payout_returned';
  /** Set for an earning. */
  invocationId: string | null;
  agentId: string | null;
  /** The payout that the carried amount comes from; for an amount carried on, this payout. */
  payoutId: string | null;
  grossUnits: number;
  feeUnits: number;
  /** Amount already recovered by clawbacks. */
  recoveredUnits: number;
  /** Negative for an amount carried over to the next payout. */
  units: number;
  at: Date;
}

/** Lines of a statement, in order: earnings by invocation, amounts carried in, the amount carried on. */
const LINES = `
  SELECT 1 AS part, e.invocation_id AS id, 'invocation_earning' AS type, e.invocation_id, e.agent_id,
         NULL AS payout_id, e.gross_units, e.fee_units, e.recovered_units,
         e.net_units - e.recovered_units AS units, e.created_at AS at
  FROM earnings e WHERE e.payout_id = $1
  UNION ALL
  SELECT 2, c.payout_id || c.kind, CASE c.kind WHEN 'remainder' THEN 'payout_remainder' ELSE 'payout_returned' END,
         NULL, NULL, c.payout_id, 0, 0, c.recovered_units, c.amount_units - c.recovered_units, c.created_at
  FROM payout_carries c WHERE c.into_payout_id = $1
  UNION ALL
  SELECT 3, c.payout_id, 'payout_remainder', NULL, NULL, c.payout_id, 0, 0, 0, -c.amount_units, c.created_at
  FROM payout_carries c WHERE c.payout_id = $1 AND c.kind = 'remainder'`;

export async function listStatementLines(
  db: Db,
  payoutId: string,
  limit: number,
): Promise<{ lines: StatementLine[]; total: number }> {
  const { rows } = await db.query<RawLine & { total: string }>(
    `SELECT l.*, count(*) OVER () AS total FROM (${LINES}) l ORDER BY part, id LIMIT $2`,
    [payoutId, limit],
  );
  return { lines: rows.map(toLine), total: Number(rows[0]?.total ?? 0) };
}

interface RawLine {
  type: StatementLine['type'];
  invocation_id: string | null;
  agent_id: string | null;
  payout_id: string | null;
  gross_units: string;
  fee_units: string;
  recovered_units: string;
  units: string;
  at: Date;
}

function toLine(row: RawLine): StatementLine {
  return {
    type: row.type,
    invocationId: row.invocation_id,
    agentId: row.agent_id,
    payoutId: row.payout_id,
    grossUnits: unitsFromDatabase(row.gross_units),
    feeUnits: unitsFromDatabase(row.fee_units),
    recoveredUnits: unitsFromDatabase(row.recovered_units),
    units: unitsFromDatabase(row.units),
    at: row.at,
  };
}

/** Lists a developer's unpaid earnings by the UTC day on which they mature. */
export async function listMaturity(
  db: Db,
  developerUserId: string,
  page: { limit: number; afterDate?: string | undefined },
): Promise<{ rows: { date: string; units: number; earnings: number; disputed: number }[]; total: number }> {
  const { rows } = await db.query<{ date: string; units: string; earnings: string; disputed: string }>(
    `SELECT to_char(matures_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, sum(net_units - recovered_units) AS units,
            count(*) AS earnings, coalesce(sum(net_units - recovered_units) FILTER (WHERE dispute_open), 0) AS disputed
     FROM earnings WHERE developer_user_id = $1 AND payout_id IS NULL AND recovered_units < net_units
     GROUP BY 1 ORDER BY 1`,
    [developerUserId],
  );
  const { limit, afterDate = '' } = page;
  const days = rows.filter(({ date }) => date > afterDate).slice(0, limit);
  return {
    rows: days.map((row) => ({
      date: row.date,
      units: unitsFromDatabase(row.units),
      earnings: Number(row.earnings),
      disputed: unitsFromDatabase(row.disputed),
    })),
    total: rows.length,
  };
}
