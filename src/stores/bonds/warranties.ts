/** Warranties (`migrations/0179_warranties.sql`): the agents that have one, and how they kept it. */
import type { Warranty, WarrantyFigures, WarrantyOutcome } from '../../domain/bonds/warranty';
import { type Db, onlyRow } from '../db';

/** Agents with a version that has a warranty, whose month is not decided, after an id and in the order of ids. */
export async function listWarranted(
  db: Db,
  { month, after, limit }: { month: string; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ agent_id: string }>({
    name: 'warranted-agents',
    text: `SELECT a.agent_id FROM agents a WHERE a.agent_id > $1
              AND EXISTS (SELECT FROM agent_versions v WHERE v.agent_id = a.agent_id AND v.warranty IS NOT NULL)
              AND NOT EXISTS (SELECT FROM warranty_months m WHERE m.agent_id = a.agent_id AND m.month = $2::date)
            ORDER BY a.agent_id LIMIT $3`,
    values: [after, `${month}-01`, limit],
  });
  return rows.map((row) => row.agent_id);
}

export interface WarrantyDecision {
  agentId: string;
  month: string;
  slashId: string;
  counterWindowMs: number;
  topUpWindowMs: number;
  traceId: string;
  asOf: Date;
}

/** Decides a month, once. `slashId`: the slash that pays the remedy; null if there is none. */
export async function decideWarranty(
  db: Db,
  decision: WarrantyDecision,
): Promise<{ outcome: WarrantyOutcome | 'none'; slashId: string | null }> {
  const result = await db.query<{ outcome: WarrantyOutcome | 'none'; slash: string | null }>({
    name: 'warranty-decide',
    text: 'SELECT outcome, slash FROM warranty_decide($1, $2::date, $3, $4, $5, $6, $7)',
    values: [
      decision.agentId,
      `${decision.month}-01`,
      decision.slashId,
      decision.counterWindowMs,
      decision.topUpWindowMs,
      decision.traceId,
      decision.asOf,
    ],
  });
  const { outcome, slash } = onlyRow(result);
  return { outcome, slashId: slash };
}

/** A decided month. */
export interface WarrantyMonth {
  month: string;
  outcome: WarrantyOutcome;
  terms: Warranty;
  figures: WarrantyFigures;
  /** What the slash has taken from the bond; null without a slash. */
  slashStatus: string | null;
}

/** The decided months of an agent, newest first. */
export async function listWarrantyMonths(db: Db, agentId: string, limit: number): Promise<WarrantyMonth[]> {
  const { rows } = await db.query<WarrantyMonth>({
    name: 'warranty-months',
    text: `SELECT to_char(m.month, 'YYYY-MM') AS month, m.outcome, m.terms, m.figures, s.status AS "slashStatus"
             FROM warranty_months m LEFT JOIN slashes s USING (slash_id)
            WHERE m.agent_id = $1 ORDER BY m.month DESC LIMIT $2`,
    values: [agentId, limit],
  });
  return rows;
}
