import type { InvocationOutcome } from '../domain/calls/invocation-steps';
import type { JobLook, JobWorkflowInput } from '../domain/jobs/job-look';
import { callDetails } from './call-details';
import type { Details } from './details';

type Wait = Extract<JobLook, { kind: 'waiting' }>;

/** What an operator on call needs to know about a job that waits at `nowMs`. */
export function jobDetails(
  input: JobWorkflowInput,
  { endsAtMs, isAsked, isPaused = false, waitMs }: Wait,
  nowMs: number,
): Details {
  const { operator = [], ...call } = callDetails(input);
  const nextMs = nowMs + waitMs;
  if (isPaused) return pausedDetails(call, operator, endsAtMs);
  return {
    ...call,
    state: isAsked
      ? 'The agent works on the job, and is asked for its answer'
      : 'The agent works on the job, and calls back with its answer',
    untilMs: endsAtMs,
    then: 'without an answer the job fails, and the buyer has the whole price back; so it does if the agent is silent for too long',
    decided:
      isAsked && nextMs < endsAtMs ? [`the agent is asked again at ${new Date(nextMs).toISOString()}`] : [],
    operator: operator.map(ofJob),
  };
}

/** A job whose agent has asked the buyer a question. */
function pausedDetails(call: Details, operator: readonly string[], untilMs: number): Details {
  return {
    ...call,
    state:
      'The job waits for the buyer, whom the agent has asked a question; its clock and its cost stand still',
    untilMs,
    then: 'without an answer the call is canceled, and the buyer has the whole price back',
    operator: [
      ...operator.map(ofJob),
      'only the buyer can answer, with POST /v1/invocations/{invocation_id}/input or `market invocations answer`; the hold stays until then',
    ],
  };
}

const ofJob = (line: string) => line.replace('leaves that to the sweep', 'lets a worker start it again');

export const endedJobDetails = (input: JobWorkflowInput, outcome: InvocationOutcome): Details =>
  callDetails(input, outcome);
