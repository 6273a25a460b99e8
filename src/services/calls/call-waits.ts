/** What a buyer does with a call that runs, from any request: wait for its end, and cancel it. */
import { isFinal } from '../../domain/calls/invocation-state';
import { MarketError } from '../../domain/errors';
import { withTimeout } from '../../kit/with-timeout';
import { type InvocationDetail, readInvocation } from '../../stores/calls/invocation-reads';
import { cancelInvocation } from '../../stores/calls/invocations';
import type { DbPool } from '../../stores/db';
import { createCallWaiters } from './in-flight-limit';
import type { InvocationRegistry } from './invocation-registry';
import type { InvocationWatch } from './invocation-watch';

export interface CallWaitsDeps {
  pool: DbPool;
  registry: Pick<InvocationRegistry, 'find'>;
  watch: Pick<InvocationWatch, 'untilFinal'>;
  questions: {
    /** Resolves when the call has an open question other than `known`, or when `gone` aborts. */
    untilAsked(invocationId: string, known: string | undefined, gone: AbortSignal): Promise<void>;
  };
}

interface CallWait {
  waitMs: number;
  gone: AbortSignal;
  /** The question that the caller knows; empty: none. Default: one that is open when the wait begins. */
  knownQuestion?: string | undefined;
}

export function createCallWaits({ pool, registry, watch, questions }: CallWaitsDeps) {
  const waiters = createCallWaiters();
  /** Each ends a wait. */
  const waits = new Set<() => void>();
  let isStopped = false;

  /** The call of the buyer. Throws `not_found`. */
  async function own(buyerUserId: string, invocationId: string) {
    const row = await readInvocation(pool, invocationId);
    if (row?.buyerUserId !== buyerUserId) throw new MarketError('not_found');
    return row;
  }

  return {
    /**
     * Counts a wait for a call of the buyer, until the returned function is called. Throws `concurrency_limited` when
     * the buyer has its share of waits.
     */
    enter: waiters.enter,

    /**
     * Resolves when the call of the buyer has ended, when its agent asks a question, after `waitMs`, when `gone`
     * aborts, or when the process stops. A wait keeps no connection to Postgres. Throws `concurrency_limited`, before
     * anything is read, when the buyer has its share of waits; then `not_found`.
     */
    async untilEnd(
      buyerUserId: string,
      invocationId: string,
      { waitMs, gone, knownQuestion }: CallWait,
    ): Promise<void> {
      const leave = waiters.enter(invocationId, buyerUserId);
      const over = new AbortController();
      const end = () => over.abort();
      try {
        const { status, isTask } = await own(buyerUserId, invocationId);
        if (isFinal(status) || isStopped || gone.aborted) return;
        waits.add(end);
        gone.addEventListener('abort', end, { once: true });
        const local = registry.find(invocationId);
        const ended = local
          ? local.done
          : watch.untilFinal(invocationId, waitMs, over.signal).catch(stillRuns);
        const asked = isTask ? [questions.untilAsked(invocationId, knownQuestion, over.signal)] : [];
        await withTimeout(waitMs, Promise.race([ended, ...asked, whenAborted(over.signal)]), () => undefined);
      } finally {
        waits.delete(end);
        end();
        leave();
      }
    },

    /** Ends all waits, because the process stops: their callers get the call as it is, and ask another process. */
    stop(): void {
      isStopped = true;
      for (const end of waits) end();
    },

    /**
     * Cancels a call of the buyer and refunds it. A call that was canceled before stays so. Returns whether a worker
     * performs the call. Throws `not_found`, and `invalid_state` for a call that has ended, delivers its answer in
     * pieces, or is a job whose agent has called its end back.
     */
    cancel: (buyerUserId: string, invocationId: string): Promise<boolean> =>
      cancelOwn(pool, () => own(buyerUserId, invocationId)),
  };
}

async function cancelOwn(
  pool: DbPool,
  own: () => Promise<Pick<InvocationDetail, 'invocationId' | 'isTask' | 'status' | 'errorCode'>>,
): Promise<boolean> {
  const { invocationId, isTask, status, errorCode } = await own();
  const outcome = isFinal(status) ? 'over' : await cancelInvocation(pool, invocationId);
  if (outcome === 'canceled' || errorCode === 'canceled') return isTask;
  if (outcome === 'delivering' || outcome === 'answered')
    throw new MarketError('invalid_state', { invocationId, message: NOT_CANCELED[outcome] });
  const now = await own();
  if (now.errorCode === 'canceled') return isTask;
  throw new MarketError('invalid_state', {
    invocationId,
    message: `The call has already ended: ${now.status}.`,
  });
}

export type CallWaits = ReturnType<typeof createCallWaits>;

const NOT_CANCELED = {
  delivering:
    'The answer is being delivered in pieces. Close the stream to stop it; what was delivered is paid.',
  answered: 'The agent has called back its answer or failure, and the call ends with it in a moment.',
};

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function stillRuns(error: unknown): void {
  if (!(error instanceof MarketError) || error.code !== 'engine_unavailable') throw error;
}
