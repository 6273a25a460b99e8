import type { Client } from 'openapi-fetch';
import type { components, paths } from './api-types.d.ts';
import { callBody, type CallOptions, keyHeader, limitsOf, type OnQuestion } from './call-options.ts';
import { type ErrorCode, errorOf, MarketApiError } from './errors.ts';
import { pause } from './pause.ts';
import type { TimeLimits } from './time-limits.ts';

type Call = components['schemas']['InvocationDetail'];
type Result = components['schemas']['InvocationResult'];

/** How long to wait, and the signal that ends the wait; the call goes on. */
export interface WaitOptions extends TimeLimits {
  signal?: AbortSignal | undefined;
}

export interface CallWaitOptions extends WaitOptions {
  /** Answers what the agent of a job asks. */
  onQuestion?: OnQuestion | undefined;
}

/** The answer to a question of a job, which matches the schema of the question. */
export interface QuestionAnswer {
  question_id: string;
  input: Record<string, unknown>;
}

export interface Invocations {
  /**
   * Begins a call and returns it while it runs, by its agent's id (`agt_…`) or slug. A call that has ended by then, such
   * as that of an earlier request with the same key, has its `output`. Throws what refuses a call. A mandate of another
   * account cannot pay: only the payer can read the call.
   */
  start(agent: string, input: Record<string, unknown>, options?: Omit<CallOptions, 'mandate'>): Promise<Call>;
  /**
   * Waits until a call has ended and returns it, with its `output` when it has succeeded and its `error` when it has
   * failed. `totalTimeoutMs` limits the whole wait: then `MarketApiError` has the code `timeout`, and the call goes on.
   * `onQuestion` gets each question of the agent as soon as it is asked; what it throws ends the wait.
   */
  wait(invocationId: string, options?: CallWaitOptions): Promise<Call>;
  /**
   * Answers what the agent of a job asks: `job.question` of the call. Returns the call. The same answer again changes
   * nothing. Throws `invalid_state` if no such question is open, and `validation_failed` with a problem for each field.
   */
  answer(invocationId: string, answer: QuestionAnswer, options?: WaitOptions): Promise<Call>;
  /** Cancels a call that runs and returns it; it costs nothing. Throws `invalid_state` for a call that has ended. */
  cancel(invocationId: string, options?: WaitOptions): Promise<Call>;
}

/** The longest wait of one request. */
const LONGEST_WAIT_S = 60;
/** A shorter answer that the call runs comes from a process that stops. */
const PAUSE_MS = 1_000;
/** Timers may be early by so much. */
const TIMER_MS = 2;

interface InvocationDeps {
  raw: Client<paths>;
  agentId: (agent: string) => Promise<string>;
  /** The limits of the client. */
  limits: TimeLimits;
}

export function createInvocations({ raw, agentId, limits }: InvocationDeps): Invocations {
  async function read(
    invocationId: string,
    query: { wait: number; known_question?: string },
    options: WaitOptions,
  ): Promise<Call> {
    const { data, error, response } = await raw.GET('/v1/invocations/{invocation_id}', {
      params: { path: { invocation_id: invocationId }, query },
      ...limitsOf(options),
    });
    if (data === undefined) throw errorOf(response, error);
    return data;
  }

  async function answer(invocationId: string, given: QuestionAnswer, options: WaitOptions): Promise<Call> {
    const { data, error, response } = await raw.POST('/v1/invocations/{invocation_id}/input', {
      params: { path: { invocation_id: invocationId } },
      body: given,
      ...limitsOf(options),
    });
    if (data === undefined) throw errorOf(response, error);
    return data;
  }

  /** Shows a new question to the caller, and sends the answer. Returns the id of the question that was shown last. */
  async function answerNew(call: Call, known: string, options: CallWaitOptions): Promise<string> {
    const question = call.job?.question;
    if (!options.onQuestion || !question || question.question_id === known) return known;
    const { question_id } = question;
    const input = await options.onQuestion(question, call);
    if (input !== undefined)
      await answer(call.invocation_id, { question_id, input }, options).catch((error: unknown) => {
        // Answered or expired meanwhile.
        if (!(error instanceof MarketApiError) || error.code !== 'invalid_state') throw error;
      });
    return question_id;
  }

  return {
    async start(agent, input, options = {}) {
      const { data, error, response } = await raw.POST('/v1/agents/{agent_id}/invoke', {
        params: {
          path: { agent_id: await agentId(agent) },
          header: { ...keyHeader(options), Prefer: 'respond-async' },
        },
        body: { input, ...callBody(options) },
        ...limitsOf(options),
      });
      if (data === undefined) throw errorOf(response, error);
      if ('status' in data) return data;
      // The answer may be forgotten once it was delivered, so it is taken from here.
      const { usage: _usage, trace_id: _traceId, ...result } = data;
      return { ...(await read(data.invocation_id, { wait: 0 }, options)), ...result };
    },

    async wait(invocationId, options = {}) {
      const attemptMs = options.timeoutMs ?? limits.timeoutMs ?? Infinity;
      const totalMs = options.totalTimeoutMs ?? limits.totalTimeoutMs;
      const endsAt = totalMs === undefined ? Infinity : Date.now() + totalMs;
      for (let known = ''; ;) {
        const begunAt = Date.now();
        const leftMs = Math.max(1, endsAt - begunAt);
        const seconds = Math.floor(Math.min(attemptMs / 2, leftMs) / 1_000);
        const wait = Math.min(LONGEST_WAIT_S, Math.max(1, seconds));
        const request = { ...options, ...(totalMs !== undefined && { totalTimeoutMs: leftMs }) };
        const query = { wait, ...(options.onQuestion && { known_question: known }) };
        const call = await read(invocationId, query, request).catch((error: unknown) => {
          throw isTimeout(error) && Date.now() + TIMER_MS >= endsAt
            ? runsStill(invocationId, totalMs, error)
            : error;
        });
        if (call.status !== 'pending' && call.status !== 'running') return call;
        known = await answerNew(call, known, options);
        await pause(Math.max(0, begunAt + PAUSE_MS - Date.now()), options.signal);
      }
    },

    answer: (invocationId, given, options = {}) => answer(invocationId, given, options),

    async cancel(invocationId, options = {}) {
      const { data, error, response } = await raw.DELETE('/v1/invocations/{invocation_id}', {
        params: { path: { invocation_id: invocationId } },
        ...limitsOf(options),
      });
      if (data === undefined) throw errorOf(response, error);
      return data;
    },
  };
}

/** The answer of a call that has ended. Throws its error, with the status of the response that contained it. */
export function resultOf(call: Call): Result {
  const { output, content_type, output_encoding, usage } = call;
  const { invocation_id, trace_id, error, status } = call;
  if (status === 'succeeded' && usage)
    return {
      output,
      ...(content_type !== undefined && { content_type }),
      ...(output_encoding !== undefined && { output_encoding }),
      usage,
      trace_id,
      invocation_id,
    };
  throw new MarketApiError({
    status: 200,
    code: (error?.code ?? 'already_disputed') as ErrorCode,
    message: error?.message ?? 'The call was disputed while it ran.',
    retryable: error?.retryable ?? false,
    traceId: trace_id,
    invocationId: invocation_id,
  });
}

const isTimeout = (error: unknown): boolean => error instanceof MarketApiError && error.code === 'timeout';

function runsStill(invocationId: string, totalMs: number | undefined, cause: unknown): MarketApiError {
  const message = `The call ${invocationId} has not ended within ${totalMs} ms. It goes on.`;
  return new MarketApiError({ status: 0, code: 'timeout', message, retryable: true, invocationId, cause });
}
