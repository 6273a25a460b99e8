/** What a developer sold over all agents, from the days of usage (`migrations/0016_usage.sql`). */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

interface Sold {
  calls: number;
  failed: number;
  /** Charges of successes less fees, in units. */
  netUnits: number;
}

interface Sales {
  total: Sold;
  /** With calls only. */
  days: (Sold & { date: string })[];
  /** The one that earned most first. */
  agents: (Sold & { agentId: string; displayName: string })[];
}

const SALES = `WITH own AS MATERIALIZED (SELECT agent_id, serving_version_id FROM agents WHERE developer_user_id = $1),
  calls AS MATERIALIZED (
    SELECT c.agent_id, c.day, c.status, c.calls, c.gross_units, c.fee_units FROM own o CROSS JOIN LATERAL (
      SELECT * FROM agent_day_calls d WHERE d.agent_id = o.agent_id AND d.day >= $2::date AND d.day <= $3::date
      OFFSET 0) c),
  sums AS (
    SELECT day, agent_id, coalesce(sum(calls), 0) AS calls, coalesce(sum(calls) FILTER (WHERE status = 'failed'), 0) AS failed,
           coalesce(sum(gross_units - fee_units) FILTER (WHERE status IN ('succeeded', 'failed')), 0) AS net_units
      FROM calls GROUP BY GROUPING SETS ((day), (agent_id), ()))
  SELECT s.day::text AS date, s.agent_id, s.calls, s.failed, s.net_units, v.display_name AS name
    FROM sums s LEFT JOIN own o ON o.agent_id = s.agent_id LEFT JOIN LATERAL (
      SELECT display_name FROM agent_versions n WHERE n.agent_id = s.agent_id
       ORDER BY n.version_id = o.serving_version_id DESC NULLS LAST, n.created_at DESC LIMIT 1) v ON true
   ORDER BY s.day, s.net_units DESC, s.agent_id`;

interface SumRow {
  date: string | null;
  agent_id: string | null;
  calls: string;
  failed: string;
  net_units: string;
  name: string | null;
}

/** Reads what a developer sold on UTC days, from `firstDay` to `lastDay` (`YYYY-MM-DD`, inclusive). */
export async function readSales(
  db: Db,
  window: { userId: string; firstDay: string; lastDay: string },
): Promise<Sales> {
  const { rows } = await db.query<SumRow>({
    name: 'developer-sales',
    text: SALES,
    values: [window.userId, window.firstDay, window.lastDay],
  });
  const sales: Sales = { total: { calls: 0, failed: 0, netUnits: 0 }, days: [], agents: [] };
  for (const row of rows) {
    const { date, agent_id: agentId } = row;
    const sold = {
      calls: Number(row.calls),
      failed: Number(row.failed),
      netUnits: unitsFromDatabase(row.net_units),
    };
    if (date !== null) sales.days.push({ date, ...sold });
    else if (agentId !== null) sales.agents.push({ agentId, displayName: row.name ?? agentId, ...sold });
    else sales.total = sold;
  }
  return sales;
}
