/** Decides the warranties of a month (ADR 0426). The workflow `warrantyMonth` calls it for each agent that has one. */
import type { WarrantyOutcome } from '../../domain/bonds/warranty';
import { newId, newTraceId } from '../../kit/ids/ids';
import type { Db } from '../../stores/db';
import { decideWarranty, listWarranted } from '../../stores/bonds/warranties';

export interface WarrantiesDeps {
  pool: Db;
  /** The windows of a slash, in ms (`services/bonds/slashes.ts`). */
  counterWindowMs: number;
  topUpWindowMs: number;
}

export function createWarranties({ pool, ...windows }: WarrantiesDeps) {
  return {
    /** A page of the agents whose month is open. */
    list: (page: { month: string; after: string; limit: number }): Promise<string[]> =>
      listWarranted(pool, page),

    /** Decides the month of an agent; a repeated call returns what was decided. The sweep starts the slash. */
    async decide(agentId: string, month: string, asOf: string): Promise<WarrantyOutcome | 'none'> {
      const { outcome } = await decideWarranty(pool, {
        ...windows,
        agentId,
        month,
        slashId: newId('slh'),
        traceId: newTraceId(),
        asOf: new Date(asOf),
      });
      return outcome;
    },
  };
}

export type Warranties = ReturnType<typeof createWarranties>;
