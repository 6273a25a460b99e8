/**
 * A job (ADR 0304): a call that its agent has accepted with 202. It continues the workflow `invocation` of a task,
 * under the same id, and waits for the answer: a timer until the agent is asked again or the job's time is over, and a
 * signal when something has changed. The database decides what is true, so the workflow looks there each time, and a
 * signal that is lost or comes twice changes nothing. No process is needed while it waits.
 */
import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RefundActivities } from '../activities/invocation';
import type { TaskActivities } from '../activities/tasks';
import { taskQueueOf } from '../domain/a2a/a2a-task';
import { type Fault, drive } from '../domain/calls/course';
import type { InvocationOutcome, WaitStep } from '../domain/calls/invocation-steps';
import type { JobWorkflowInput } from '../domain/jobs/job-look';
import { show } from './details';
import { codeOf, MONEY_STEP } from './invocation-endings';
import { endedJobDetails, jobDetails } from './job-details';
import { answerSteps, faultOfTask } from './task-call';

/** Something about the job may have changed. */
export const lookSignal = defineSignal('look');

/** A look takes at most the request to the agent, and a wait for a place. */
const LOOK = {
  heartbeatTimeout: '10s',
  startToCloseTimeout: '3m',
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
} as const;
/** An agent that does not receive the end of its job is tried for some minutes. */
const MOST_STOPS = 6;
const STOP = {
  heartbeatTimeout: '10s',
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumAttempts: MOST_STOPS },
} as const;
/** Events after which the workflow continues as new; one look adds about ten. */
const MOST_EVENTS = 900;

const operations = proxyActivities<RefundActivities>(MONEY_STEP);
/** What an agent has called back is settled in the worker of the workflow. If that fails, a look does it. */
const atOnce = proxyLocalActivities<TaskActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 1 },
});

/** Wait → validate → settle | refund (`domain/calls/course.ts`). */
export async function job(input: JobWorkflowInput): Promise<InvocationOutcome> {
  const { invocationId } = input;
  const answers = answerSteps(invocationId);
  const end = await drive(
    {
      hold: () => Promise.reject(new Error('a job has its hold')),
      // A lost answer is fetched again: the agent is asked, or what it called back is read.
      forward: () => Promise.resolve({ kind: 'taken' }),
      wait: () => waitForAnswer(input, answers.holdAt),
      validate: answers.validate,
      settle: answers.settle,
    },
    { step: 'wait', at: 'worker' },
  );
  const outcome = end.kind === 'done' ? end.outcome : await refunded(invocationId, codeOf(end));
  show(endedJobDetails(input, outcome));
  if (outcome.status === 'succeeded') return outcome;
  upsertSearchAttributes({ Outcome: [outcome.code ?? outcome.status] });
  if (outcome.code !== 'agent_error' && patched('stop-agent')) await stopAgent(invocationId);
  return outcome;
}

/** Notifies the agent of a job that has ended without it, if the agent can be reached. */
async function stopAgent(invocationId: string): Promise<void> {
  const stops = proxyActivities<TaskActivities>({
    ...STOP,
    taskQueue: taskQueueOf(workflowInfo().taskQueue),
  });
  const stopped = CancellationScope.nonCancellable(() => stops.stopAgent(invocationId, MOST_STOPS));
  await stopped.catch(() => undefined);
}

function refunded(invocationId: string, code: Parameters<RefundActivities['refund']>[1]) {
  return CancellationScope.nonCancellable(async () => (await operations.refund(invocationId, code)).outcome);
}

/** The end of a job whose agent has called it back; `open` if a look must find it. */
async function endedAtOnce(
  invocationId: string,
): Promise<Awaited<ReturnType<TaskActivities['endCalledBack']>>> {
  try {
    return await CancellationScope.nonCancellable(() => atOnce.endCalledBack(invocationId));
  } catch {
    return { kind: 'open' };
  }
}

async function waitForAnswer(
  input: JobWorkflowInput,
  holdAt: (queue: string) => void,
): Promise<WaitStep | Fault> {
  const { invocationId } = input;
  const looks = proxyActivities<TaskActivities>({
    ...LOOK,
    taskQueue: taskQueueOf(workflowInfo().taskQueue),
  });
  const pauses: [number?] = input.askAfterMs === undefined ? [] : [input.askAfterMs];
  // Once, at the beginning: a job of an earlier release keeps its course.
  const endsAtOnce = patched('end-at-once');
  let isChanged = false;
  setHandler(lookSignal, () => {
    isChanged = true;
  });
  for (let asked = input.asked; ;) {
    if (workflowInfo().historyLength > MOST_EVENTS) await continueAsNew<typeof job>({ ...input, asked });
    const wasChanged = isChanged;
    isChanged = false;
    try {
      if (wasChanged && endsAtOnce) {
        const end = await endedAtOnce(invocationId);
        if (end.kind === 'resolved') return end;
      }
      const look = await looks.lookAtJob(invocationId, asked, ...pauses);
      if (look.kind === 'answered') holdAt(look.queue);
      if (look.kind !== 'waiting') return look;
      if (look.isAsked) asked += 1;
      show(jobDetails(input, look, Date.now()));
      await condition(() => isChanged, look.waitMs);
    } catch (error) {
      return faultOfTask(error);
    }
  }
}
