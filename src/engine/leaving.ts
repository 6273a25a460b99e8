import type { AccountExport, Exports } from '../services/leaving/exports';
import type { accountExport } from '../workflows/account-export';
import { type CasesDeps, createCases } from './cases';

export interface LeavingCasesDeps extends CasesDeps {
  exports: Pick<Exports, 'request' | 'markStarted' | 'claimUnconfirmed'>;
}

/** Starts the workflows `export/<id>`, for the API and the worker's sweep. */
export function createLeavingCases({ exports, ...deps }: LeavingCasesDeps) {
  const exportCases = createCases<AccountExport>(deps, {
    noun: 'export',
    workflowOf: ({ exportId, userId, requestedAt }) => ({
      type: 'accountExport',
      workflowId: `export/${exportId}`,
      args: [exportId] satisfies Parameters<typeof accountExport>,
      staticSummary: `Export of ${userId}`,
      staticDetails: `Export \`${exportId}\` of \`${userId}\`, requested at ${requestedAt.toISOString()}.`,
    }),
    markStarted: ({ exportId }) => exports.markStarted(exportId),
    claimUnconfirmed: exports.claimUnconfirmed,
  });

  return {
    /** Requests an export of an account and starts its workflow. Throws as `Exports.request`. */
    async requestExport(userId: string): Promise<AccountExport> {
      const requested = await exports.request(userId);
      await exportCases.start(requested);
      return requested;
    },

    /** Starts the workflows that are missing. */
    sweep: (): Promise<void> => exportCases.sweep(),
  };
}

export type LeavingCases = ReturnType<typeof createLeavingCases>;
