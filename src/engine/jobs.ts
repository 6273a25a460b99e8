/** Wakes the workflows of jobs (ADRs 0304, 0318), which have the ids of the calls: `invocation/<call id>`. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { CALL_DETAILS } from '../domain/flow-details';
import { creditsText, unitsToCredits } from '../domain/ledger/money';
import { createRestingTurns } from '../kit/concurrency/resting-turns';
import type { Logger } from '../logger';
import type { JobQuestions, QuestionAnswer } from '../services/jobs/job-questions';
import type { DueJob, Jobs } from '../services/jobs/jobs';
import type { job } from '../workflows/job';
import { withDeadline } from './deadline';
import { AGENT_ID, BUYER_ID } from './start-invocation';

const DEADLINE_MS = 1_500;
const SIGNAL = 'look';
/**
 * A process wakes one workflow at a time, and rests behind it for ten times as long as the engine took to accept the
 * signal, within these bounds. To end a job costs the stack some 60 ms of CPU, so a hundred that end together would
 * delay the calls of others by it (`npm run bench:jobs`). While the machine is busy, a signal takes longer.
 */
const RESTS_MS = { least: 100, most: 500, factor: 10 };
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
  const late = new Error('too many jobs wait to be woken');
  const turns = createRestingTurns({
    slots: 1,
    restMs: (tookMs) => Math.min(Math.max(RESTS_MS.least, tookMs * RESTS_MS.factor), RESTS_MS.most),
    patienceMs: PATIENCE_MS,
    mostWaiting: MOST_WAITING,
    late: () => late,
  });

  /** Runs `work` with the engine in the turn of a tenant. Does nothing while Temporal is unreachable. */
  const inTurn = (tenant: string, work: (client: Client) => Promise<unknown>) =>
    turns.run(tenant, async () => {
      const client = clientOf();
      if (client) await withDeadline(client, DEADLINE_MS, () => work(client));
    });

  async function wake(invocationId: string, tenant: string): Promise<void> {
    try {
      await inTurn(tenant, (client) =>
        client.workflow.getHandle(`invocation/${invocationId}`).signal(SIGNAL),
      );
    } catch (error) {
      if (error !== late && !(error instanceof WorkflowNotFoundError))
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
      if (!clientOf()) return;
      const due = await jobs.claimDue();
      const wakes = due.map((each) => inTurn(each.agentId, (client) => wakeOrStart(client, taskQueue, each)));
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
