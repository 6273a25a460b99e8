/**
 * The step of a job in worker processes (ADR 0304): the look at what is known of it. The database decides: what the
 * agent has called back, whether it is silent, what the buyer has answered to its question, and whether the job's time
 * is over. An agent that gave an address is asked. The process that received the answer validates and settles it in
 * the same step (ADR 0371).
 */
import type { Resolved } from '../../domain/calls/invocation-steps';
import type { JobLook } from '../../domain/jobs/job-look';
import { pauseBeforeAsking } from '../../domain/jobs/job-taken';
import { hasTasks } from '../../domain/jobs/task-kinds';
import type { AskedQuestion } from '../../domain/jobs/question';
import { callAddress } from '../../domain/catalogue/manifest';
import { type ErrorCode, MarketError } from '../../domain/errors';
import { anySignal } from '../../kit/concurrency/any-signal';
import type { Cipher } from '../../kit/crypto/cipher';
import type { DbPool } from '../../stores/db';
import { readTaskWork } from '../../stores/a2a/a2a-task-work';
import { forgetLocation, type JobRow, noteReport, readJob } from '../../stores/jobs/jobs';
import { noteAnswerSent, readUndeliveredAnswer } from '../../stores/jobs/job-questions';
import { createTaskOpener, TASK_LEASE_MS, type TaskStepsDeps } from '../a2a/a2a-task-steps';
import type { AgentAnswer, TakenAnswer } from '../calls/agent/agent-answer';
import { asUnreachable } from '../calls/agent/agent-steps';
import type { AgentJobs, JobRequest } from '../calls/agent/agent-jobs';
import type { InFlightCall } from '../calls/agent/in-flight';
import { jobContext, unsealQuestion } from '../calls/agent/job-acceptance';
import type { InvocationSteps } from '../calls/invocation-steps';
import { durationOf, givenUp, mustCall, nowOf, untilEnd, waiting } from './job-clock';
import { endedHere, type EndingSteps } from './job-endings';
import type { JobQuestions } from './job-questions';

export interface JobStepsDeps extends Omit<TaskStepsDeps, 'steps'> {
  pool: DbPool;
  cipher: Cipher;
  agents: Pick<AgentJobs, 'ask' | 'receive' | 'send' | 'cancel' | 'answerTask'>;
  questions: Pick<JobQuestions, 'ask'>;
  steps: EndingSteps & Pick<InvocationSteps, 'hold' | 'accept' | 'reviewOf'>;
}

const NOTHING = Buffer.alloc(0);
/** This process no longer leads the call. */
const GIVEN_UP = { ok: false, code: 'engine_unavailable', isGivenUp: true } as const;
/** The end of a job whose agent gave no address, and of which nothing came since. */
const NEVER_HEARD = {
  ok: false,
  code: 'agent_error',
  agentMessage: 'The agent took the call as a job, gave no address to ask, and called nothing back.',
  problem: '/header/Location is missing, and nothing came to the address in X-Callback-Url',
  status: 202,
  durationMs: 0,
  delivered: false,
} as const satisfies AgentAnswer;
/** Errors of a request that say nothing about the job: the agent may answer the next one. */
const OF_THE_REQUEST: ReadonlySet<ErrorCode> = new Set(['agent_unreachable', 'agent_timeout']);

/** Returns the step that opens the call of a job, asks its agent if it must be asked, and settles its end. */
function createCarryOn(deps: JobStepsDeps, resolved: (id: string) => Promise<Resolved>) {
  const { pool, steps } = deps;
  const open = createTaskOpener(deps);

  async function lookWith(
    job: JobRow,
    call: InFlightCall,
    asked: number,
    signal: AbortSignal,
    isNeverHeard: boolean,
  ): Promise<JobLook> {
    if (isNeverHeard) return endedBy(deps, job, call, NEVER_HEARD);
    if (!job.end && job.hasAnswer) return afterDelivery(deps, job, call, signal);
    const said = await replyOf(deps, job, call, signal).catch(asUnreachable);
    if (!said) return untilEnd(job);
    if (said.ok === 'taken') {
      const refused = said.question && (await askBuyer(deps, call, said.question));
      const now = said.question ? await readJob(pool, call.invocationId) : job;
      if (!now || now.isOver) return resolved(call.invocationId);
      if (now.pause) return untilEnd(now);
      if (refused) return steps.accept(call, { ...refused, durationMs: durationOf(job, nowOf(job)) });
      await noteSaid(deps, call.invocationId, said.message);
      return waiting(job, pauseBeforeAsking(asked, said.retryAfterMs));
    }
    if (!said.ok && !job.end && OF_THE_REQUEST.has(said.code))
      return (await givenUp(pool, call.invocationId, job)) ?? waiting(job, pauseBeforeAsking(asked, null));
    return endedBy(deps, job, call, said);
  }

  return async (
    id: string,
    job: JobRow,
    asked: number,
    signal: AbortSignal,
    isNeverHeard = false,
  ): Promise<JobLook | 'busy'> => {
    const call = await open(id);
    if (call === 'busy') return 'busy';
    if (!call) return resolved(id);
    call.isJob = true;
    let look: JobLook | undefined;
    try {
      look = await lookWith(job, call, asked, signal, isNeverHeard);
      if (!signal.aborted) look = await endedHere(deps, id, look);
      return look;
    } finally {
      // The call of an answer stays for its next steps, and that of a failure for its refund.
      if (look?.kind !== 'answered' && look?.kind !== 'failed') call.finish(GIVEN_UP);
    }
  };
}

export function createJobSteps(deps: JobStepsDeps) {
  const { pool, steps, registry } = deps;

  const resolved = async (id: string): Promise<Resolved> => {
    const step = await steps.hold(id, TASK_LEASE_MS);
    if (step.kind === 'resolved') return step;
    return { kind: 'resolved', outcome: (await steps.refund(id, 'internal_error')).outcome };
  };

  const carryOn = createCarryOn(deps, resolved);

  return {
    /**
     * Looks at a job whose agent was asked so many times before, and is not asked for so long after its 202. `busy`:
     * nothing was done, because its accounts have their share of the places of this process. The signal ends a request
     * to the agent. Throws when Postgres is unreachable.
     */
    async look(
      id: string,
      { asked, askAfterMs }: { asked: number; askAfterMs: number },
      signal: AbortSignal,
    ): Promise<JobLook | 'busy'> {
      const job = await readJob(pool, id);
      if (!job || job.isOver) return resolved(id);
      if (!job.end && !mustCall(job)) {
        const over = await givenUp(pool, id, job);
        // The refund stores why, which this process knows alone.
        if (over?.kind === 'failed' && over.code === 'agent_error')
          return carryOn(id, job, asked, signal, true);
        return over ?? untilEnd(job);
      }
      const restMs = job.takenAt.getTime() + askAfterMs - nowOf(job);
      if (!job.end && !job.hasAnswer && restMs > 0) return waiting(job, restMs);
      return carryOn(id, job, asked, signal);
    },

    /** Ends a job whose agent has called back its end. `open`: there is more to do, which `look` does. */
    async endCalledBack(id: string, signal: AbortSignal): Promise<Resolved | { kind: 'open' }> {
      const job = await readJob(pool, id);
      if (job?.isOver) return resolved(id);
      if (!job?.end) return { kind: 'open' };
      const look = await carryOn(id, job, 0, signal);
      if (look !== 'busy' && look.kind === 'resolved') return look;
      registry.find(id)?.finish(GIVEN_UP);
      return { kind: 'open' };
    },

    stop: createJobStop(deps),
  };
}

/**
 * Returns the step that notifies an agent whose job has ended without it: `tasks/cancel` for an MCP server, `DELETE` at
 * the address that another agent gave (ADR 0325). An agent that calls back hears of the end then. Throws when an MCP
 * server cannot be reached, unless it was the last attempt; `DELETE` is sent once.
 */
function createJobStop({ pool, cipher, agents, servingVersions, logger }: JobStepsDeps) {
  return async (id: string, isLast: boolean, signal: AbortSignal): Promise<void> => {
    const job = await readJob(pool, id);
    if (!job?.isOver || job.sealedLocation === null) return;
    const work = await readTaskWork(pool, id);
    try {
      if (!work) throw new Error(`no task ${id}`);
      const version = await servingVersions.byId(work.versionId);
      const call = { invocationId: id, version, traceId: work.traceId, hops: work.hops };
      const location = await cipher.unseal(job.sealedLocation, jobContext(id));
      const isAccepted = await agents.cancel({ call, input: NOTHING, signal }, location.toString());
      logger.info({ invocationId: id, isAccepted }, 'the agent was notified of the end of its job');
    } catch (error) {
      if (!isLast) throw error;
      logger.info({ err: error, invocationId: id }, 'could not notify the agent of the end of its job');
    }
    await forgetLocation(pool, id);
  };
}

/** What the agent has called back, or says when it is asked; undefined without either. */
async function replyOf(
  { cipher, agents, steps }: Pick<JobStepsDeps, 'cipher' | 'agents' | 'steps'>,
  job: JobRow,
  call: InFlightCall,
  signal: AbortSignal,
) {
  const { input } = call;
  const review = () => steps.reviewOf(call);
  const request: JobRequest = {
    call,
    input: input ?? NOTHING,
    signal: anySignal(signal, call.ended),
    ageMs: nowOf(job) - job.takenAt.getTime(),
    review,
  };
  const context = jobContext(call.invocationId);
  if (job.end?.kind === 'failure') return failureOf(await cipher.unseal(job.end.sealedBody, context));
  if (job.end) return agents.receive(request, await cipher.unseal(job.end.sealedBody, context));
  if (!job.sealedLocation) return undefined;
  const location = await cipher.unseal(job.sealedLocation, context);
  return agents.ask(request, location.toString());
}

/**
 * The end of a job by what its agent said. While the agent was asked, it may have called back: an end, which counts, or
 * a question, which has stopped the clock.
 */
async function endedBy(
  { pool, steps }: Pick<JobStepsDeps, 'pool' | 'steps'>,
  job: JobRow,
  call: InFlightCall,
  said: AgentAnswer,
): Promise<JobLook> {
  if (job.end) return steps.accept(call, { ...said, durationMs: durationOf(job, job.end.at.getTime()) });
  const now = (await readJob(pool, call.invocationId)) ?? job;
  if (now.end) return waiting(now, 0);
  return steps.accept(call, { ...said, durationMs: durationOf(now, nowOf(now)) });
}

/** Notes that the agent goes on, with what it says of the work. */
async function noteSaid(
  { pool, cipher }: Pick<JobStepsDeps, 'pool' | 'cipher'>,
  invocationId: string,
  message: string | null = null,
): Promise<void> {
  const sealed = message === null ? null : await cipher.seal(Buffer.from(message), jobContext(invocationId));
  await noteReport(pool, invocationId, sealed);
}

export type JobSteps = ReturnType<typeof createJobSteps>;

/** Delivers an answer of the buyer. An agent that does not accept it gets it again, until it counts as silent. */
async function afterDelivery(
  { pool, cipher, agents }: Pick<JobStepsDeps, 'pool' | 'cipher' | 'agents'>,
  job: JobRow,
  call: InFlightCall,
  signal: AbortSignal,
): Promise<JobLook> {
  const { invocationId, version } = call;
  const answer = await readUndeliveredAnswer(pool, invocationId);
  if (!answer) return waiting(job, pauseBeforeAsking(0, null));
  const { questionId, attempts } = answer;
  const context = jobContext(invocationId);
  const { answerUrl } = await unsealQuestion(cipher, invocationId, answer.sealedQuestion);
  const location = job.sealedLocation && (await cipher.unseal(job.sealedLocation, context)).toString();
  const input = JSON.parse((await cipher.unseal(answer.sealedAnswer, context)).toString()) as unknown;
  const message = {
    url: answerUrl ?? location ?? callAddress(version.kind, version.endpointUrl),
    id: `${invocationId}-answer-${questionId}`,
    body: Buffer.from(
      JSON.stringify({ type: 'answer', invocation_id: invocationId, question_id: questionId, input }),
    ),
  };
  const request = { call, input: call.input ?? NOTHING, signal: anySignal(signal, call.ended) };
  const isTask = hasTasks(version.kind) && location !== null;
  const isAccepted = isTask
    ? await agents.answerTask(request, location, { questionId, input })
    : await agents.send(request, message);
  if (!isAccepted && request.signal.aborted) return waiting(job, pauseBeforeAsking(0, null));
  await noteAnswerSent(pool, invocationId, { questionId, isAccepted });
  const pauseMs = pauseBeforeAsking(isAccepted ? 0 : attempts, null);
  if (isAccepted && !job.sealedLocation) return untilEnd(job);
  return waiting(job, pauseMs);
}

/** Keeps a question that the agent asked in a 202. Returns why it may not ask; undefined if it may. */
function askBuyer(
  { questions }: Pick<JobStepsDeps, 'questions'>,
  { invocationId, version }: InFlightCall,
  question: AskedQuestion,
): Promise<AgentAnswer | undefined> {
  const base = callAddress(version.kind, version.endpointUrl);
  return questions
    .ask(invocationId, question, { base })
    .then(() => undefined)
    .catch(asRefusal);
}

/** A question that the agent may not ask is an error of the agent. */
function asRefusal(error: unknown): AgentAnswer {
  if (!(error instanceof MarketError)) throw error;
  const problem = error.detail?.[0]?.msg ?? error.message;
  return { ok: false, code: 'agent_error', problem, status: 202, durationMs: 0, delivered: false };
}

/** A failure that the agent has called back, with its sentence. */
function failureOf(message: Buffer): AgentAnswer | TakenAnswer {
  const agentMessage = message.length > 0 ? message.toString() : undefined;
  return { ok: false, code: 'agent_error', agentMessage, durationMs: 0, delivered: false };
}
