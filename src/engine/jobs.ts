/** Wakes the workflows of jobs (ADRs 0304, 0318), which have the ids of the calls: `invocation/<call id>`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { CALL_DETAILS } from '../domain/flow-details';
import { creditsText, unitsToCredits } from '../domain/ledger/money';
import { createFairSlots } from '../kit/concurrency/fair-slots';
import type { Logger } from '../logger';
import type { JobQuestions, QuestionAnswer } from '../services/jobs/job-questions';
import type { DueJob, Jobs } from '../services/jobs/jobs';
import type { job } from '../workflows/job';
import { withDeadline } from './deadline';
import { AGENT_ID, BUYER_ID } from './start-invocation';

const DEADLINE_MS = 1_500;
const SIGNAL = 'look';
/**
 * A process wakes one workflow each 100 ms. To end a job costs the stack some 25 ms of CPU, so a hundred that end
 * together would delay the calls of others by it (`npm run bench:jobs`).
 */
const PAUSE_MS = 100;
/** What waits longer, or behind as many jobs of its agent, is left to the sweep. */
const PATIENCE_MS = 10_000;
const MOST_WAITING = 100;

export interface JobEngineDeps {
  /** Undefined while Temporal is unreachable. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  jobs: Pick<Jobs, 'claimDue'>;
  questions: Pick<JobQuestions, 'answer'>;
  logger: Logger;
}

export function createJobEngine({ client: clientOf, taskQueue, jobs, questions, logger }: JobEngineDeps) {
  const turns = createFairSlots({
    slots: 1,
    patienceMs: PATIENCE_MS,
    mostWaiting: MOST_WAITING,
    late: () => new Error('too many jobs wait to be woken'),
  });

  /** Waits for the turn of a tenant; false if too many wait. The pause comes last, so a job alone is woken at once. */
  async function awaitTurn(tenant: string): Promise<boolean> {
    const isOurs = await turns.acquire(tenant).then(
      () => true,
      () => false,
    );
    if (isOurs) void sleep(PAUSE_MS, undefined, { ref: false }).then(() => turns.give());
    return isOurs;
  }

  async function wake(invocationId: string, tenant: string): Promise<void> {
    const client = (await awaitTurn(tenant)) ? clientOf() : undefined;
    if (!client) return;
    try {
      const handle = client.workflow.getHandle(`invocation/${invocationId}`);
      await withDeadline(client, DEADLINE_MS, () => handle.signal(SIGNAL));
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError))
        logger.info({ err: error, invocationId }, 'could not wake a job; the sweep does it');
    }
  }

  return {
    /**
     * Wakes a job of which something has changed, in the turn of its tenant. Never throws: what is lost, the sweep
     * repeats.
     */
    wake,

    /**
     * Answers the open question of a job for its buyer. The job is woken behind it, and delivers the answer to the
     * agent. Every door answers by this. Throws the refusals of `JobQuestions.answer`.
     */
    async answer(buyerUserId: string, invocationId: string, answer: QuestionAnswer): Promise<void> {
      await questions.answer(buyerUserId, invocationId, answer);
      void wake(invocationId, buyerUserId);
    },

    /** Wakes jobs whose agents are silent, or whose signals were lost. A job whose workflow is gone gets a new one. */
    async sweep(): Promise<void> {
      const client = clientOf();
      if (!client) return;
      const due = await jobs.claimDue();
      const wakes = due.map(async (each) => {
        if (!(await awaitTurn(each.agentId))) throw new Error('it waited too long');
        await withDeadline(client, DEADLINE_MS, () => wakeOrStart(client, taskQueue, each));
      });
      const failed = (await Promise.allSettled(wakes)).filter(({ status }) => status === 'rejected');
      if (failed.length > 0)
        logger.warn({ jobs: failed.length }, 'could not wake all jobs; they are due again in a minute');
    },
  };
}

export type JobEngine = ReturnType<typeof createJobEngine>;

async function wakeOrStart(client: Client, taskQueue: string, due: DueJob): Promise<void> {
  const { invocationId, agentId, buyerUserId, traceId } = due;
  const priceCredits = unitsToCredits(due.priceUnits);
  await client.workflow.signalWithStart<typeof job>('job', {
    workflowId: `invocation/${invocationId}`,
    taskQueue,
    args: [{ invocationId, traceId, priceCredits, asked: 0 }],
    signal: SIGNAL,
    staticSummary: `${agentId} for ${buyerUserId}, ${creditsText(priceCredits)}, job`,
    staticDetails: CALL_DETAILS,
    typedSearchAttributes: [
      { key: AGENT_ID, value: agentId },
      { key: BUYER_ID, value: buyerUserId },
    ],
  });
}
