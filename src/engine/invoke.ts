/**
 * Accept, launch, wait: the single code path by which every surface calls an agent (docs/life-of-a-call.md). The
 * response comes from this process's registry as soon as the money has moved; the workflow's own result is never
 * awaited.
 */
import type { CallEnd } from '../domain/calls/call-end';
import { MarketError } from '../domain/errors';
import type { Truncation } from '../domain/catalogue/truncation';
import type { PlainType } from '../services/calls/agent/answer-format';
import type { StoredAnswers } from '../services/calls/invocation-answers';
import type { InvocationDeliveries, Served } from '../services/calls/invocation-deliveries';
import type { CallResult, CallUsage, InFlightCall } from '../services/calls/agent/in-flight';
import type { InvocationWatch } from '../services/calls/invocation-watch';
import { errorCodeOf } from '../services/calls/call-refusal';
import { failureOf, type Invocations, type InvokeRequest } from '../services/calls/invocations';
import type { CallLauncher } from './launch';
import type { TaskEngine } from './tasks';
import { currentSpanId, invocationAttributes, spanIdOf, spanSink } from '../kit/tracing';
import { withTimeout } from '../kit/with-timeout';
import {
  type BegunCall,
  type Beginning,
  forMs,
  type Patience,
  type ReportBegun,
  withinPatience,
} from './patience';

/** How long a caller waits for the money to move after the agent's deadline. */
const SETTLE_PATIENCE_MS = 15_000;
/** Upper bound of an agent's deadline, for calls of another process, whose deadline is not known here. */
const LONGEST_TIMEOUT_MS = 300_000;

export interface CompletedCall {
  invocationId: string;
  traceId: string;
  /** JSON text. Null when the stored answer of a replay has expired. */
  output: Buffer | null;
  /** Content type of an answer that is not JSON. `output` is then a JSON string. */
  plain: PlainType | null;
  usage: CallUsage;
  /** Set for a streamed answer that ended early and was paid as far as it was delivered. */
  truncatedBy: Truncation | null;
  /** True for the answer of an earlier call with the same idempotency key. */
  replayed: boolean;
  /**
   * Reports whether the answer reached the caller: such an answer is deleted once every caller has received it.
   * Undefined for answers that are not stored, or that are stored until they expire: nothing depends on their delivery.
   */
  served: Served | undefined;
}

export interface InvokeEngineDeps {
  invocations: Invocations;
  answers: StoredAnswers;
  deliveries: InvocationDeliveries;
  watch: InvocationWatch;
  launcher: Pick<CallLauncher, 'launch'>;
  /** Starts a call that a worker performs. Never throws. */
  startTask: TaskEngine['begin'];
  /** Called with the outcome of each call, from the caller's point of view. */
  onEnd: (end: CallEnd) => void;
}

export function createInvokeEngine(deps: InvokeEngineDeps) {
  const { invocations, launcher } = deps;
  const { finish: completed, attach, replay } = createEndings(deps);

  async function run(request: InvokeRequest, begun: ReportBegun): Promise<CompletedCall> {
    const accepted = await invocations.begin(request);
    if (accepted.kind === 'replayed') {
      begun('replayed', accepted.invocationId);
      return replay(accepted.invocationId);
    }
    if (accepted.kind === 'attached') {
      begun(accepted.isTask ? 'kept' : 'attached', accepted.invocationId);
      return attach(accepted.invocationId, accepted.local, request.patience).finally(accepted.leave);
    }
    if (accepted.kind === 'kept') {
      const { invocationId, version, priceUnits, leave } = accepted;
      const { agentId, buyerUserId, traceId, patience } = request;
      begun('kept', invocationId);
      await deps.startTask({
        taskId: invocationId,
        agentId,
        buyerUserId,
        traceId,
        timeoutMs: version.timeoutMs,
        priceUnits,
      });
      return attach(invocationId, undefined, patience).finally(leave);
    }
    recordCall(accepted.call);
    if (await launcher.launch(accepted.call)) begun('accepted', accepted.call.invocationId);
    return completed(accepted.call);
  }

  const invoke = (request: InvokeRequest, begun: ReportBegun = () => {}): Promise<CompletedCall> =>
    reportEnd(request.surface, deps.onEnd, begun, (report) => run(request, report));

  return {
    /**
     * Runs one call and returns when it is settled. Calls `begun` once the call can no longer be refused, for callers
     * that respond while it runs. Throws the refusals of `Invocations.begin`, the agent's failures (`agent_error`,
     * `agent_timeout`, …; nothing is charged), `already_disputed`, and `engine_unavailable`.
     */
    invoke,

    /**
     * Begins one call whose caller waits for at most so many ms; undefined: for a job 25 s, and for any other call
     * until its end. A surface that decides while it waits passes its own `Patience`, and `detached` in the request
     * where its caller may leave a call that is no job. Returns the call when it is settled by then, and else its id:
     * it goes on, and its answer is stored until it is fetched. Throws as `invoke` does.
     */
    begin: (
      request: InvokeRequest,
      wait: number | undefined | Patience,
    ): Promise<CompletedCall | BegunCall> =>
      withinPatience<CompletedCall>(typeof wait === 'function' ? wait : forMs(wait), (patience, begun) => {
        const detached = typeof wait === 'number' ? { detached: true as const } : {};
        return invoke({ ...request, ...detached, patience }, begun);
      }),
  };
}

/** Runs a call and reports its outcome to `onEnd`, from the caller's point of view. */
async function reportEnd(
  surface: CallEnd['surface'],
  onEnd: (end: CallEnd) => void,
  begun: ReportBegun,
  run: (report: ReportBegun) => Promise<CompletedCall>,
): Promise<CompletedCall> {
  const startedAt = performance.now();
  let how: Beginning | undefined;
  const end = (outcome: CallEnd['outcome'], rest: Pick<CallEnd, 'code' | 'agentSeconds'>) => {
    const seconds = (performance.now() - startedAt) / 1_000;
    // The worker counts a kept call.
    const isJoined = how !== undefined && how !== 'accepted';
    onEnd({ surface, outcome: isJoined ? 'joined' : outcome, seconds, ...rest });
  };
  try {
    const call = await run((beginning, invocationId) => {
      how = beginning;
      begun(beginning, invocationId);
    });
    end('succeeded', { code: null, agentSeconds: call.usage.durationMs / 1_000 });
    return call;
  } catch (error) {
    end(how === undefined ? 'refused' : 'failed', { code: errorCodeOf(error), agentSeconds: null });
    throw error;
  }
}

export type InvokeEngine = ReturnType<typeof createInvokeEngine>;

/** Three ways to get the answer: from this caller's own call, from a running call, or from a finished one. */
function createEndings(deps: Pick<InvokeEngineDeps, 'answers' | 'deliveries' | 'watch'>) {
  async function finish(call: InFlightCall, patience?: AbortSignal): Promise<CompletedCall> {
    const { invocationId, traceId } = call;
    const isForgotten = (call.keyed || call.detached) && call.version.retentionDays === 0;
    const served = isForgotten ? deps.deliveries.join(invocationId) : undefined;
    const ended = patience ? Promise.race([call.done, lostPatience(patience)]) : call.done;
    const result = await within(ended, call.version.timeoutMs + SETTLE_PATIENCE_MS);
    if (!result.ok) {
      served?.(false);
      throw failureOf(result, invocationId);
    }
    return {
      invocationId,
      traceId,
      output: result.output.json,
      plain: result.output.plain,
      usage: result.usage,
      truncatedBy: result.output.truncatedBy,
      replayed: false,
      served,
    };
  }

  async function attach(
    invocationId: string,
    local: InFlightCall | undefined,
    patience: AbortSignal | undefined,
  ): Promise<CompletedCall> {
    if (local) return finish(local, patience);
    const served = deps.deliveries.join(invocationId);
    try {
      const patienceMs = LONGEST_TIMEOUT_MS + SETTLE_PATIENCE_MS;
      const state = await deps.watch.untilFinal(invocationId, patienceMs, patience);
      if (state.status === 'disputed') throw new MarketError('already_disputed', { invocationId });
      if (state.status === 'failed') throw await deps.answers.failureOf(invocationId, state.errorCode);
      return { ...(await deps.answers.read(invocationId)), replayed: false, served };
    } catch (error) {
      served(false);
      throw error;
    }
  }

  async function replay(invocationId: string): Promise<CompletedCall> {
    await deps.deliveries.quiet(invocationId);
    const answer = await deps.answers.read(invocationId);
    const served = answer.isForgotten ? deps.deliveries.join(invocationId) : undefined;
    return { ...answer, replayed: true, served };
  }

  return { finish, attach, replay };
}

const UNSETTLED = {
  ok: false,
  code: 'engine_unavailable',
  message: 'The call is still being settled.',
} as const satisfies CallResult;

function within(ended: Promise<CallResult>, patienceMs: number): Promise<CallResult> {
  return withTimeout(patienceMs, ended, () => UNSETTLED);
}

/** Resolves when a caller no longer waits for the call that it joined. */
function lostPatience(patience: AbortSignal): Promise<CallResult> {
  return new Promise((resolve) => {
    patience.addEventListener('abort', () => resolve(UNSETTLED), { once: true });
  });
}

/**
 * Records the call as a span below its request, when it ends (ADR 0096). Its steps are spans below it, in whatever
 * process. Nothing is done without a sink for spans.
 */
function recordCall({ invocationId, traceId, version, done }: InFlightCall): void {
  const record = spanSink();
  if (!record) return;
  const parentSpanId = currentSpanId();
  const startMs = Date.now();
  const startedAt = performance.now();
  const end = (result: CallResult) =>
    record({
      traceId,
      spanId: spanIdOf(invocationId),
      parentSpanId,
      name: 'call',
      kind: 'internal',
      startMs,
      durationMs: performance.now() - startedAt,
      attributes: {
        'market.invocation_id': invocationId,
        'market.agent_id': version.agentId,
        ...invocationAttributes(version),
        ...(result.ok
          ? {
              'gen_ai.usage.input_tokens': result.usage.tokensIn,
              'gen_ai.usage.output_tokens': result.usage.tokensOut,
            }
          : { 'error.type': result.code }),
      },
      failure: result.ok ? undefined : result.code,
    });
  void done.then(end);
}
