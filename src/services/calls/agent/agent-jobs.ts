/** The answers of jobs (ADR 0304): an agent is asked for one at the address that it gave, or has called one back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type FieldProblem, MarketError } from '../../../domain/errors';
import {
  type AskedQuestion,
  askedQuestion,
  isTooLong,
  questionProblems,
} from '../../../domain/jobs/question';
import { type JobTaken, pauseBeforeAsking, readJobTaken } from '../../../domain/jobs/job-taken';
import { hasTasks, type TaskKind } from '../../../domain/jobs/task-kinds';
import { asRecord, isRecord } from '../../../domain/json-value';
import type { EgressStream } from '../../../egress/answer';
import { EgressError } from '../../../egress/egress-error';
import { parseStrictJson } from '../../../kit/json/strict-json';
import { isUnusableSecret } from '../../catalogue/upstream-credentials';
import type { AnswerReview } from '../answers/answer-task';
import {
  type AgentAnswer,
  type AgentCallerDeps,
  answerLimit,
  failureOf,
  mayAnswerAnyType,
  performFor,
  type TakenAnswer,
} from './agent-answer';
import type { Envelope } from './agent-envelope';
import { onceOf } from '../answers/echo-guard';
import { isJson, readAnswer } from './agent-streamer';
import type { AgentTools, TaskQuestionAnswer, TaskRequest } from './agent-tools';
import type { CallOutput } from './in-flight';

/** How often callbacks about a probe are read, and how long an agent may take to say whether it has an answer. */
const LOOK_MS = 100;
const ASK_TIMEOUT_MS = 30_000;
const MOST_QUESTION_BODY_BYTES = 65_536;
const NOTHING = Buffer.alloc(0);

export interface JobRequest extends Pick<TaskRequest, 'call' | 'input' | 'signal'> {
  /** How long ago the agent accepted the job, in ms; default: long ago. */
  ageMs?: number;
  /** What is found out about a large answer in the thread that reads it. */
  review?: (() => AnswerReview) | undefined;
}

/** What an agent has called back about a probe. */
export interface CalledBackProbe {
  heardAt: Date | null;
  answer: AgentAnswer | undefined;
}

type Followed = [request: JobRequest, taken: TakenAnswer, calledBack: () => Promise<CalledBackProbe>];
type Protocols = Readonly<Record<TaskKind, Pick<AgentTools, 'look' | 'answer' | 'cancel'>>>;
type AskAgent = (request: JobRequest, location: string) => Promise<AgentAnswer | TakenAnswer>;

/** A message to the agent of a job. */
export interface JobMessage {
  url: string;
  id: string;
  /** Without one, `DELETE` is sent. */
  body?: Buffer;
}

/** What the agent does never makes these throw. */
export function createAgentJobs(deps: AgentCallerDeps, protocols: Protocols) {
  const ofTask = (request: JobRequest) => ({ ...request, timeoutMs: ASK_TIMEOUT_MS });
  const tasksOf = ({ call: { version } }: JobRequest) =>
    hasTasks(version.kind) ? protocols[version.kind] : undefined;

  const ask: AskAgent = (request, location) => {
    const tasks = tasksOf(request);
    return tasks ? attempted(() => tasks.look(ofTask(request), location)) : askAgent(deps, request, location);
  };

  const jobs = {
    ask,

    /**
     * Notifies the agent that its job is no longer wanted (ADR 0325). Returns whether the agent has accepted it. Throws
     * if the server of a task cannot be reached.
     */
    async cancel(request: JobRequest, location: string): Promise<boolean> {
      const { invocationId: id } = request.call;
      const tasks = tasksOf(request);
      if (tasks) return tasks.cancel(ofTask(request), location).then(() => true);
      return sendMessage(deps, request, { url: location, id: `${id}-cancel` });
    },

    /** Sends the buyer's answer to a question of a task. Returns whether its server has accepted it. */
    answerTask: async (request: JobRequest, location: string, answer: TaskQuestionAnswer): Promise<boolean> =>
      (await tasksOf(request)?.answer(ofTask(request), location, answer)) ?? false,

    send: (request: JobRequest, message: JobMessage): Promise<boolean> => sendMessage(deps, request, message),

    /** Waits for the answer of a probe: `followProbe`. */
    follow: (...followed: Followed): Promise<AgentAnswer> => followProbe(jobs, ...followed),

    /** Reads an answer that the agent has called back, as if it were that of a request. */
    receive: (request: JobRequest, json: Buffer): Promise<AgentAnswer | TakenAnswer> =>
      attempted(async () => {
        if (json.length > answerLimit(request.call.version))
          throw new EgressError('too_large', 'the answer that was called back is too large');
        const envelope = await deps.envelopeOf(request.call, ASK_TIMEOUT_MS, request.input);
        return readJobAnswer(deps, request, envelope, streamOf(json));
      }),
  };
  return jobs;
}

export type AgentJobs = ReturnType<typeof createAgentJobs>;

/**
 * Waits for the answer of a probe, for as long as the version declares: until it is called back, or there when the
 * agent is asked, the last time at the end. `calledBack` reads what the agent has called back.
 */
async function followProbe(
  { ask, cancel }: { ask: AskAgent; cancel(request: JobRequest, location: string): Promise<boolean> },
  ...[request, taken, calledBack]: Followed
): Promise<AgentAnswer> {
  const { probeSeconds = 0, heartbeatSeconds = 0 } = request.call.version.jobs ?? {};
  const startedAt = performance.now() - taken.durationMs;
  const endsAt = startedAt + probeSeconds * 1_000;
  const durationMs = () => Math.round(performance.now() - startedAt);
  let { retryAfterMs } = taken;
  const takenAt = Date.now();
  for (let asked = 0; ; asked += 1) {
    const pauseMs = taken.location === null ? LOOK_MS : pauseBeforeAsking(asked, retryAfterMs);
    const leftMs = endsAt - performance.now();
    if (request.signal.aborted || leftMs <= 0) break;
    await sleep(Math.min(pauseMs, leftMs));
    const { heardAt, answer: received } = await calledBack();
    if (received) return { ...received, durationMs: durationMs() };
    if (taken.location === null) {
      if (Date.now() > (heardAt?.getTime() ?? takenAt) + heartbeatSeconds * 1_000) break;
      continue;
    }
    const answer = await ask(request, taken.location);
    if (answer.ok !== 'taken') return { ...answer, durationMs: durationMs() };
    if (answer.question)
      return { ok: false, code: 'agent_error', isAsking: true, durationMs: durationMs(), delivered: false };
    retryAfterMs = answer.retryAfterMs;
  }
  // As for a job of a buyer whose time is over.
  if (taken.location !== null) await cancel(request, taken.location);
  return { ok: false, code: 'agent_timeout', durationMs: durationMs(), delivered: false };
}

/**
 * Asks the agent for the answer. 202, or a task that works: the job goes on; 200, or a completed task: the answer;
 * anything else is a failure.
 */
function askAgent(
  deps: AgentCallerDeps,
  request: JobRequest,
  location: string,
): Promise<AgentAnswer | TakenAnswer> {
  return attempted(async (onStatus) => {
    const { call, input, signal } = request;
    const envelope = await deps.envelopeOf(call, ASK_TIMEOUT_MS, input);
    const stream = await deps.egress.open({
      url: location,
      method: 'GET',
      headers: { ...envelope.common, ...envelope.ofStep(NOTHING), accept: 'application/json, */*;q=0.5' },
      signal,
      deadlineMs: Date.now() + ASK_TIMEOUT_MS,
      maxResponseBytes: answerLimit(call.version),
      repeatable: true,
    });
    onStatus(stream.status);
    if (stream.status !== 202) return readJobAnswer(deps, request, envelope, stream);
    const taken = readJobTaken((name) => stream.header(name), location);
    const question = await readPolledQuestion(envelope, stream);
    return { ...(taken ?? { location: null, retryAfterMs: null }), ...(question && { question }) };
  });
}

/**
 * Sends a message about the job to its agent. Returns whether the agent has accepted it, with 2xx. Its id is the same
 * for each attempt.
 */
async function sendMessage(
  deps: AgentCallerDeps,
  { call, input, signal }: JobRequest,
  { url, id, body }: JobMessage,
): Promise<boolean> {
  try {
    const envelope = await deps.envelopeOf(call, ASK_TIMEOUT_MS, input);
    const { status } = await deps.egress.notify({
      url,
      ...(body ? { body } : { method: 'DELETE' }),
      headers: { ...envelope.common, ...envelope.ofMessage(id, body ?? NOTHING) },
      signal,
      deadlineMs: Date.now() + ASK_TIMEOUT_MS,
      maxResponseBytes: MOST_QUESTION_BODY_BYTES,
      repeatable: true,
    });
    return status >= 200 && status < 300;
  } catch (error) {
    if (error instanceof EgressError || isUnusableSecret(error)) return false;
    throw error;
  }
}

async function attempted(
  work: (onStatus: (status: number) => void) => Promise<CallOutput | JobTaken>,
): Promise<AgentAnswer | TakenAnswer> {
  const startedAt = performance.now();
  let status: number | undefined;
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const got = await work((answered) => (status = answered));
    if ('location' in got) return { ...got, ok: 'taken', durationMs: durationMs(), status: status ?? 202 };
    return { ok: true, ...got, durationMs: durationMs(), delivered: false, status };
  } catch (error) {
    return { ok: false, ...failureOf(error), durationMs: durationMs(), delivered: false, status };
  }
}

/**
 * The question in a 202, if there is one. A body of another form says nothing. Throws `agent_error` with what is wrong
 * with the question.
 */
async function readPolledQuestion(
  { guard }: Envelope,
  stream: EgressStream,
): Promise<AskedQuestion | undefined> {
  const bytes = isJson(stream.contentType) ? await firstBytes(guard, stream) : undefined;
  stream.close();
  const { question } = asRecord(bytes && parsedOrNothing(bytes));
  if (question === undefined) return undefined;
  const loc = ['question'];
  if (!isRecord(question)) throw notAsked({ loc, msg: 'must be an object', type: 'type' });
  if (isTooLong(question)) throw notAsked({ loc, msg: 'is larger than 8 KiB', type: 'maxLength' });
  const problems = questionProblems(question, loc);
  if (problems.length > 0) throw notAsked(...problems);
  return askedQuestion(question);
}

const notAsked = (...detail: FieldProblem[]) => new MarketError('agent_error', { detail });

/** The body of a 202 with the secrets masked; undefined if it is longer than every question, or breaks. */
async function firstBytes(guard: Envelope['guard'], stream: EgressStream): Promise<Buffer | undefined> {
  const { contentType, body, header, close } = stream;
  const masked = await guard.receive({ status: 200, contentType, body, header, close });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of masked.body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MOST_QUESTION_BODY_BYTES) return undefined;
    }
  } catch (error) {
    if (error instanceof EgressError) return undefined;
    throw error;
  }
  return Buffer.concat(chunks);
}

function parsedOrNothing(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes).value;
  } catch {
    return undefined;
  }
}

async function readJobAnswer(
  deps: AgentCallerDeps,
  { call, review }: JobRequest,
  { guard }: Envelope,
  stream: EgressStream,
): Promise<CallOutput> {
  return readAnswer(await guard.receive(stream), {
    streams: false,
    anyType: mayAnswerAnyType(call.version),
    delivery: null,
    meter: null,
    deadlineMs: Date.now() + ASK_TIMEOUT_MS,
    timeoutMs: ASK_TIMEOUT_MS,
    isBudgeted: false,
    onDelivery: () => undefined,
    guard,
    perform: performFor(deps, call, review),
  });
}

/** A document that is here, as a response. */
function streamOf(json: Buffer): EgressStream {
  return {
    status: 200,
    contentType: 'application/json',
    header: () => undefined,
    body: onceOf(json),
    close: () => undefined,
  };
}
