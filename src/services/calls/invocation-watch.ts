/**
 * Notifies callers of calls that were ended elsewhere: another process ran the step, the lease sweep was faster, or the
 * caller attached to a call of another process. `LISTEN invocation_settled` signals quickly; polling every second
 * covers lost signals.
 */
import { MarketError } from '../../domain/errors';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import { addWaiter, readFinalStates } from '../../stores/calls/invocation-reads';
import { createListener } from '../../stores/listener';
import type { InvocationRegistry } from './invocation-registry';
import type { InvocationSteps } from './invocation-steps';
import { createWaiters } from '../../kit/concurrency/waiters';

const LOOK_EVERY_MS = 1_000;
/** Younger calls are not polled, because their steps are still running. */
const LOOK_AFTER_MS = 3_000;
const CHANNEL = 'invocation_settled';

export type FinalState = Awaited<ReturnType<typeof readFinalStates>>[number];

export interface InvocationWatchDeps {
  pool: DbPool;
  /** Connections that keep their session; default: `pool`. */
  sessions?: DbPool;
  registry: InvocationRegistry;
  steps: Pick<InvocationSteps, 'conclude'>;
  logger: Logger;
}

export function createInvocationWatch(deps: InvocationWatchDeps) {
  const waiters = createWaiters<FinalState>();
  let timer: NodeJS.Timeout | undefined;

  async function look(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const state of await readFinalStates(deps.pool, ids)) {
      const { invocationId, status, errorCode } = state;
      if (deps.registry.find(invocationId)) deps.steps.conclude(invocationId, { status, errorCode });
      waiters.tell(invocationId, state);
    }
  }

  function lookAt(ids: string[]): void {
    look(ids).catch((error: unknown) => deps.logger.debug({ err: error }, 'could not poll for ended calls'));
  }

  /** For calls of other processes, and for own calls that were disputed. Reads the state of calls of any age. */
  const listener = createListener({
    pool: deps.sessions ?? deps.pool,
    channel: CHANNEL,
    onPayload: (invocationId) => {
      if (deps.registry.find(invocationId) || waiters.has(invocationId)) lookAt([invocationId]);
    },
    onFailure: (error) =>
      deps.logger.debug({ err: error }, 'could not listen for ended calls; polling every second instead'),
  });

  return {
    start(): void {
      timer ??= setInterval(() => {
        void listener.ensure();
        lookAt([...deps.registry.olderThan(LOOK_AFTER_MS), ...waiters.names()]);
      }, LOOK_EVERY_MS);
      timer.unref();
      void listener.ensure();
    },
    stop(): void {
      clearInterval(timer);
      timer = undefined;
      listener.stop();
    },
    /**
     * Resolves when the call has ended, in any process. Throws `engine_unavailable` after `patienceMs`, or when `gone`
     * aborts.
     */
    async untilFinal(invocationId: string, patienceMs: number, gone?: AbortSignal): Promise<FinalState> {
      await listener.ensure();
      await addWaiter(deps.pool, invocationId, deps.registry.owner);
      const impatient = () => {
        const message = `The call still runs. Its answer will be at GET /v1/invocations/${invocationId}.`;
        return new MarketError('engine_unavailable', { invocationId, message });
      };
      const final = waiters.wait(invocationId, patienceMs, impatient, gone);
      lookAt([invocationId]);
      return final;
    },
  };
}

export type InvocationWatch = ReturnType<typeof createInvocationWatch>;
