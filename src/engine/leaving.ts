import type { Deletion, DeletionRequest, Deletions } from '../services/leaving/deletions';
import type { AccountExport, Exports } from '../services/leaving/exports';
import type { accountDeletion } from '../workflows/account-deletion';
import type { accountExport } from '../workflows/account-export';
import { type CasesDeps, createCases } from './cases';
import { withDeadline } from './deadline';
import { eachPart } from './turn-parts';

export interface LeavingCasesDeps extends CasesDeps {
  exports: Pick<Exports, 'request' | 'markStarted' | 'claimUnconfirmed'>;
  deletions: Pick<
    Deletions,
    'request' | 'withdraw' | 'confirm' | 'inputOf' | 'markStarted' | 'claimUnconfirmed'
  >;
}

const SIGNAL_DEADLINE_MS = 1_500;

/** Starts the workflows `export/<id>` and `deletion/<id>`, for the API and the worker's sweep. */
export function createLeavingCases({ exports, deletions, ...deps }: LeavingCasesDeps) {
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
  const deletionCases = createCases<Deletion>(deps, {
    noun: 'deletion',
    workflowOf: (deletion) => ({
      type: 'accountDeletion',
      workflowId: workflowIdOf(deletion),
      args: [deletions.inputOf(deletion)] satisfies Parameters<typeof accountDeletion>,
      staticSummary: `Deletion of ${deletion.userId}`,
      staticDetails: `Deletion \`${deletion.deletionId}\` of \`${deletion.userId}\`, requested at ${deletion.requestedAt.toISOString()}.`,
    }),
    markStarted: ({ deletionId }) => deletions.markStarted(deletionId),
    claimUnconfirmed: deletions.claimUnconfirmed,
  });

  /** Shortens the wait of the workflow. A signal that is lost delays it: the row decides. */
  async function signalMoved(deletion: Deletion): Promise<Deletion> {
    const client = deps.client();
    try {
      if (client)
        await withDeadline(client, SIGNAL_DEADLINE_MS, () =>
          client.workflow.getHandle(workflowIdOf(deletion)).signal('moved'),
        );
    } catch (error) {
      deps.logger.warn({ err: error, workflowId: workflowIdOf(deletion) }, 'a deletion was not signalled');
    }
    return deletion;
  }

  return {
    /** Requests an export of an account and starts its workflow. Throws as `Exports.request`. */
    async requestExport(userId: string): Promise<AccountExport> {
      const requested = await exports.request(userId);
      await exportCases.start(requested);
      return requested;
    },

    /** Requests the deletion of an account and starts its workflow. Throws as `Deletions.request`. */
    async requestDeletion(request: DeletionRequest): Promise<Deletion> {
      const requested = await deletions.request(request);
      await deletionCases.start(requested);
      return requested;
    },

    withdraw: async (userId: string): Promise<Deletion> => signalMoved(await deletions.withdraw(userId)),
    confirm: async (token: string): Promise<Deletion> => signalMoved(await deletions.confirm(token)),

    /** Starts the workflows that are missing. */
    sweep: (): Promise<void> => eachPart(exportCases.sweep, deletionCases.sweep),
  };
}

const workflowIdOf = ({ deletionId }: Deletion) => `deletion/${deletionId}`;

export type LeavingCases = ReturnType<typeof createLeavingCases>;
