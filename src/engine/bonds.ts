import { createHash } from 'node:crypto';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { MarketError } from '../domain/errors';
import { SLASH_MOVED_ON, type SlashCounter, type SlashRuling, type SlashStatus } from '../domain/slash';
import type { Logger } from '../logger';
import { type Bonds, type Withdrawal, withdrawalInputOf } from '../services/bonds';
import { type Slash, type Slashes, slashInputOf } from '../services/slashes';
import type { bondWithdrawal } from '../workflows/bond-withdrawal';
import type { slashBond } from '../workflows/slash-bond';
import { withDeadline } from './deadline';
import { AGENT_ID } from './start-invocation';

const START_DEADLINE_MS = 1_500;
/** A move needs a worker and Postgres; a caller waits this long for it. */
const UPDATE_DEADLINE_MS = 5_000;

export interface BondCasesDeps {
  /** Undefined while the engine is away. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  bonds: Pick<Bonds, 'markStarted' | 'listUnconfirmed'>;
  slashes: Pick<Slashes, 'markStarted' | 'listUnconfirmed'>;
  logger: Logger;
}

/** The workflows `slash/<id>` and `bond-withdrawal/<id>` as the API and the worker's sweep use them. */
export function createBondCases(deps: BondCasesDeps) {
  async function attempt(about: Record<string, string>, begin: (client: Client) => Promise<void>) {
    try {
      const client = deps.client();
      if (!client) throw new Error('the workflow engine is away');
      await withDeadline(client, START_DEADLINE_MS, () => begin(client));
    } catch (error) {
      deps.logger.warn({ err: error, ...about }, 'a workflow of a bond could not be started yet');
    }
  }
  /** Never throws: when the engine is away, the worker's sweep starts it. */
  const startSlash = (slash: Slash) =>
    attempt({ slashId: slash.slashId }, (client) => beginSlash(deps, client, slash));
  /** As `startSlash`. */
  const startWithdrawal = (withdrawal: Withdrawal) =>
    attempt({ withdrawalId: withdrawal.withdrawalId }, (client) => beginWithdrawal(deps, client, withdrawal));

  return {
    startSlash,
    startWithdrawal,

    /** Starts what was written while the engine was away, and what it has lost since. */
    async sweep(): Promise<void> {
      for (const slash of await deps.slashes.listUnconfirmed()) await startSlash(slash);
      for (const withdrawal of await deps.bonds.listUnconfirmed()) await startWithdrawal(withdrawal);
    },

    /**
     * The developer's counter-argument; the status of the slash when it is written. Throws `invalid_state` when somebody
     * or the end of the window was faster, `engine_unavailable` when the engine does not answer in time: the answer may
     * still count then, and the same one again joins it.
     */
    counter: (slash: Slash, counter: SlashCounter, statement: string) =>
      ask(deps, slash, { name: 'counter', move: counter, text: statement }),

    /** The operator's decision; as `counter`. */
    resolve: (slash: Slash, ruling: SlashRuling, reason: string) =>
      ask(deps, slash, { name: 'resolve', move: ruling, text: `${ruling.decision}\n${reason}` }),
  };
}

export type BondCases = ReturnType<typeof createBondCases>;

async function beginSlash(deps: BondCasesDeps, client: Client, slash: Slash): Promise<void> {
  await client.workflow.start<typeof slashBond>('slashBond', {
    workflowId: slashWorkflowId(slash.slashId),
    taskQueue: deps.taskQueue,
    args: [slashInputOf(slash)],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `${slash.agentId}: slash`,
    typedSearchAttributes: [{ key: AGENT_ID, value: slash.agentId }],
  });
  await deps.slashes.markStarted(slash.slashId);
}

async function beginWithdrawal(deps: BondCasesDeps, client: Client, withdrawal: Withdrawal): Promise<void> {
  await client.workflow.start<typeof bondWithdrawal>('bondWithdrawal', {
    workflowId: `bond-withdrawal/${withdrawal.withdrawalId}`,
    taskQueue: deps.taskQueue,
    args: [withdrawalInputOf(withdrawal)],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  await deps.bonds.markStarted(withdrawal.withdrawalId);
}

interface Move {
  name: 'counter' | 'resolve';
  move: SlashCounter | SlashRuling;
  /** What makes the same move again the same update. */
  text: string;
}

/** Asks the workflow for a move; starts it first when the sweep has not, or when an operator has terminated it. */
async function ask(deps: BondCasesDeps, slash: Slash, { name, move, text }: Move): Promise<SlashStatus> {
  const client = deps.client();
  if (!client) throw new MarketError('engine_unavailable');
  const handle = client.workflow.getHandle(slashWorkflowId(slash.slashId));
  const updateId = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  const update = () =>
    handle.executeUpdate<SlashStatus, [SlashCounter | SlashRuling]>(name, { args: [move], updateId });
  const updateOrBegin = async () => {
    try {
      return await update();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await beginSlash(deps, client, slash);
      return update();
    }
  };
  try {
    return await withDeadline(client, UPDATE_DEADLINE_MS, updateOrBegin);
  } catch (error) {
    throw refusalOf(error);
  }
}

function slashWorkflowId(slashId: string): string {
  return `slash/${slashId}`;
}

function refusalOf(error: unknown): MarketError {
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    return new MarketError('invalid_state', { message: 'Too late: the slash is decided.', cause: error });
  }
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (cause instanceof ApplicationFailure && cause.type === SLASH_MOVED_ON) {
    return new MarketError('invalid_state', { message: `Not now: ${cause.message}.`, cause: error });
  }
  return new MarketError('engine_unavailable', {
    message:
      'The workflow engine did not answer in time. Read the slash, and send the same again if it is unchanged.',
    cause: error,
  });
}
