/**
 * accept → start → wait: the one way every surface calls an agent (engine.md §2). It answers when the money has
 * moved, from the registry of this process; it never waits for the workflow's own result.
 */
import type { CallEnd } from '../domain/calls/call-end';
import { MarketError } from '../domain/errors';
import { unitsToCredits } from '../domain/ledger/money';
import type { Logger } from '../logger';
import type { PlainType } from '../services/calls/agent/answer-format';
import type { StoredAnswers } from '../services/calls/invocation-answers';
import type { InvocationDeliveries, Served } from '../services/calls/invocation-deliveries';
import type { CallResult, CallUsage, InFlightCall } from '../services/calls/invocation-registry';
import type { InvocationWatch } from '../services/calls/invocation-watch';
import { failureOf, type Invocations, type InvokeRequest } from '../services/calls/invocations';
import type { InvocationStarter } from './start-invocation';

/** After the agent's deadline a caller waits this long for the money to move. */
const SETTLE_PATIENCE_MS = 15_000;
/** The agent's deadline of a call that another process holds is not known here. */
const LONGEST_TIMEOUT_MS = 300_000;

/** Of calls whose answer is not stored, or stays until it expires. */
const NOBODY_ASKS: Served = () => {};

export interface CompletedCall {
  invocationId: string;
  traceId: string;
  /** JSON text; null when the stored answer of a replay has expired. */
  output: Buffer | null;
  /** Set for an answer that is not JSON: `output` is a JSON string then. */
  plain: PlainType | null;
  usage: CallUsage;
  /** The answer of an earlier call with the same idempotency key. */
  replayed: boolean;
  /** To be told how handing over the answer ended: a stored answer may go when every caller has it. */
  served: Served;
}

/** How a call began: newly, by joining one that runs, or as the answer of an earlier one. */
export type Beginning = 'accepted' | 'attached' | 'replayed';

export interface InvokeEngineDeps {
  invocations: Invocations;
  answers: StoredAnswers;
  deliveries: InvocationDeliveries;
  watch: InvocationWatch;
  starter: InvocationStarter;
  ownerQueue: string;
  /** Begins the steps of a call whose workflow runs, in this process. */
  beginSteps: (call: InFlightCall) => void;
  /** Told how each call ended for its caller. */
  onEnd: (end: CallEnd) => void;
  logger: Logger;
}

export function createInvokeEngine(deps: InvokeEngineDeps) {
  const { invocations, starter } = deps;
  const { finish, attach, replay } = createEndings(deps);

  /** False when the call will not run. */
  async function start(call: InFlightCall): Promise<boolean> {
    try {
      const isHere = await starter.start(
        {
          invocationId: call.invocationId,
          timeoutMs: call.version.timeoutMs,
          ownerQueue: deps.ownerQueue,
          traceId: call.traceId,
          inTurn: true,
        },
        {
          agentId: call.version.agentId,
          buyerUserId: call.buyerUserId,
          priceCredits: unitsToCredits(call.priceUnits),
        },
      );
      // Where another process has the task, its questions by the owner's queue would race with these steps.
      if (isHere) deps.beginSteps(call);
    } catch (error) {
      deps.logger.warn({ err: error, invocationId: call.invocationId }, 'the engine did not confirm a start');
      // Whether the workflow runs is unknown: the row decides. When the hold was faster, the call goes on.
      return !(await invocations.abandon(call, 'engine_unavailable'));
    }
    return true;
  }

  async function run(request: InvokeRequest, begun: (how: Beginning) => void): Promise<CompletedCall> {
    const accepted = await invocations.begin(request, () => {
      if (!starter.available()) throw new MarketError('engine_unavailable');
    });
    if (accepted.kind === 'replayed') {
      begun('replayed');
      return replay(accepted.invocationId);
    }
    if (accepted.kind === 'attached') {
      begun('attached');
      return attach(accepted.invocationId, accepted.local);
    }
    if (await start(accepted.call)) begun('accepted');
    return finish(accepted.call);
  }

  return {
    /**
     * Runs one call and returns when it is paid; tells `begun` once nothing can refuse the call any more, for callers
     * who answer while it runs. Throws the refusals of `Invocations.begin`, the agent's failures
     * (`agent_error`, `agent_timeout`, …; nothing charged), `already_disputed`, and `engine_unavailable`.
     */
    invoke: (request: InvokeRequest, begun: (how: Beginning) => void = () => {}): Promise<CompletedCall> =>
      toldOf(request.surface, deps.onEnd, begun, (tell) => run(request, tell)),
  };
}

/** Runs a call and tells how it ended for its caller. */
async function toldOf(
  surface: CallEnd['surface'],
  onEnd: (end: CallEnd) => void,
  begun: (how: Beginning) => void,
  run: (tell: (how: Beginning) => void) => Promise<CompletedCall>,
): Promise<CompletedCall> {
  const startedAt = performance.now();
  let how: Beginning | undefined;
  const end = (outcome: CallEnd['outcome'], rest: Pick<CallEnd, 'code' | 'agentSeconds'>) => {
    const seconds = (performance.now() - startedAt) / 1_000;
    const isJoined = how === 'attached' || how === 'replayed';
    onEnd({ surface, outcome: isJoined ? 'joined' : outcome, seconds, ...rest });
  };
  try {
    const call = await run((beginning) => {
      how = beginning;
      begun(beginning);
    });
    end('succeeded', { code: null, agentSeconds: call.usage.durationMs / 1_000 });
    return call;
  } catch (error) {
    const code = error instanceof MarketError ? error.code : 'internal_error';
    end(how === undefined ? 'refused' : 'failed', { code, agentSeconds: null });
    throw error;
  }
}

export type InvokeEngine = ReturnType<typeof createInvokeEngine>;

/** How a caller gets the answer: of the own call, of one that runs elsewhere, of one that is over. */
function createEndings(deps: Pick<InvokeEngineDeps, 'answers' | 'deliveries' | 'watch'>) {
  async function finish(call: InFlightCall): Promise<CompletedCall> {
    const { invocationId, traceId } = call;
    const isForgotten = call.keyed && call.version.retentionDays === 0;
    const served = isForgotten ? deps.deliveries.join(invocationId) : NOBODY_ASKS;
    const result = await within(call, call.version.timeoutMs + SETTLE_PATIENCE_MS);
    if (!result.ok) {
      served(false);
      throw failureOf(result, invocationId);
    }
    return {
      invocationId,
      traceId,
      output: result.output.json,
      plain: result.output.plain,
      usage: result.usage,
      replayed: false,
      served,
    };
  }

  async function attach(invocationId: string, local: InFlightCall | undefined): Promise<CompletedCall> {
    if (local) return finish(local);
    const served = deps.deliveries.join(invocationId);
    try {
      const state = await deps.watch.untilFinal(invocationId, LONGEST_TIMEOUT_MS + SETTLE_PATIENCE_MS);
      if (state.status === 'disputed') throw new MarketError('already_disputed', { invocationId });
      if (state.status === 'failed')
        throw new MarketError(state.errorCode ?? 'internal_error', { invocationId });
      return { ...(await deps.answers.read(invocationId)), replayed: false, served };
    } catch (error) {
      served(false);
      throw error;
    }
  }

  async function replay(invocationId: string): Promise<CompletedCall> {
    await deps.deliveries.quiet(invocationId);
    const answer = await deps.answers.read(invocationId);
    const served = answer.isForgotten ? deps.deliveries.join(invocationId) : NOBODY_ASKS;
    return { ...answer, replayed: true, served };
  }

  return { finish, attach, replay };
}

async function within(call: InFlightCall, patienceMs: number): Promise<CallResult> {
  let timer: NodeJS.Timeout | undefined;
  const overrun = new Promise<CallResult>((resolve) => {
    timer = setTimeout(
      () => resolve({ ok: false, code: 'engine_unavailable', message: 'The call is still being settled.' }),
      patienceMs,
    );
  });
  try {
    return await Promise.race([call.done, overrun]);
  } finally {
    clearTimeout(timer);
  }
}
