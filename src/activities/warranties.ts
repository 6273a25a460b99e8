import type { WarrantyOutcome } from '../domain/bonds/warranty';
import type { Warranties } from '../services/bonds/warranties';

export type WarrantyActivities = ReturnType<typeof createWarrantyActivities>;

/** Activities of the workflow that decides warranties. A thrown error is an internal fault; Temporal retries it. */
export function createWarrantyActivities(warranties: Warranties) {
  return {
    listWarrantedAgents: (page: { month: string; after: string; limit: number }): Promise<string[]> =>
      warranties.list(page),
    decideWarranty: (agentId: string, month: string, asOf: string): Promise<WarrantyOutcome | 'none'> =>
      warranties.decide(agentId, month, asOf),
  };
}
