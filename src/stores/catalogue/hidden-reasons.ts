import type { HiddenReason } from '../../domain/catalogue/agent-state';
import type { Db } from '../db';

/**
 * Why an agent is hidden from search, or will be after `deadline`. The SQL function `agent_standing_refresh` writes it.
 */
export interface HiddenReasonRow {
  code: Extract<HiddenReason, 'critical_finding' | 'bond_shortfall'>;
  since: Date;
  deadline: Date | null;
}

export async function readHiddenReasons(db: Db, agentId: string): Promise<HiddenReasonRow[]> {
  const { rows } = await db.query<HiddenReasonRow>(
    'SELECT code, since, deadline FROM agent_hidden_reasons WHERE agent_id = $1 ORDER BY since, code',
    [agentId],
  );
  return rows;
}
