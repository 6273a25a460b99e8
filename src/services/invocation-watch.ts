/**
 * How callers learn of an end that was decided elsewhere: another process ran the step, the lease sweep was faster,
 * or they attached to a call that another process holds. `LISTEN invocation_settled` is the quick way, a look each
 * second the sure one.
 */
import { MarketError } from '../domain/errors';
import type { Logger } from '../logger';
import type { DbPool } from '../stores/db';
import { addWaiter, readFinalStates } from '../stores/invocation-reads';
import type { InvocationRegistry } from './invocation-registry';
import type { InvocationSteps } from './invocation-steps';

const LOOK_EVERY_MS = 1_000;
/** Younger calls are still in the hands of their steps. */
const LOOK_AFTER_MS = 3_000;
const CHANNEL = 'invocation_settled';

export type FinalState = Awaited<ReturnType<typeof readFinalStates>>[number];

export interface InvocationWatchDeps {
  pool: DbPool;
  registry: InvocationRegistry;
  steps: Pick<InvocationSteps, 'conclude'>;
  logger: Logger;
}

export function createInvocationWatch(deps: InvocationWatchDeps) {
  const waiters = new Map<string, Set<(state: FinalState) => void>>();
  let listening: Promise<void> | undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let release: (() => void) | undefined;

  async function look(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const state of await readFinalStates(deps.pool, ids)) {
      const { invocationId, status, errorCode } = state;
      if (deps.registry.find(invocationId)) deps.steps.conclude(invocationId, { status, errorCode });
      waiters.get(invocationId)?.forEach((tell) => tell(state));
    }
  }

  function lookAt(ids: string[]): void {
    look(ids).catch((error: unknown) =>
      deps.logger.debug({ err: error }, 'could not look for finished calls'),
    );
  }

  const lookAround = () => lookAt([...deps.registry.olderThan(LOOK_AFTER_MS), ...waiters.keys()]);

  /** Looks at the call that a notification names, however young it is, if anybody here waits for it. */
  function hear(invocationId: string | undefined): void {
    if (invocationId === undefined) return;
    if (deps.registry.find(invocationId) || waiters.has(invocationId)) lookAt([invocationId]);
  }

  /** One connection of the pool listens: for calls of other processes, and for own calls that are disputed. */
  function listen(): Promise<void> {
    listening ??= (async () => {
      const client = await deps.pool.connect();
      if (stopped) return client.release();
      const stop = (error?: Error) => {
        if (release !== stop) return;
        listening = undefined;
        release = undefined;
        client.release(error ?? true);
      };
      release = stop;
      client.on('error', stop);
      client.on('notification', ({ payload }) => hear(payload));
      await client.query(`LISTEN ${CHANNEL}`);
    })().catch((error: unknown) => {
      release?.();
      listening = undefined;
      deps.logger.debug({ err: error }, 'could not listen; looking each second instead');
    });
    return listening;
  }

  return {
    start(): void {
      timer ??= setInterval(() => {
        void listen();
        lookAround();
      }, LOOK_EVERY_MS);
      timer.unref();
      void listen();
    },
    stop(): void {
      stopped = true;
      clearInterval(timer);
      timer = undefined;
      release?.();
    },
    /** Resolves when the call is over, in whichever process; 503 with its id after `patienceMs`. */
    async untilFinal(invocationId: string, patienceMs: number): Promise<FinalState> {
      await listen();
      await addWaiter(deps.pool, invocationId, deps.registry.owner);
      return new Promise<FinalState>((resolve, reject) => {
        const tellers = waiters.get(invocationId) ?? new Set();
        const done = () => {
          clearTimeout(patience);
          tellers.delete(tell);
          if (tellers.size === 0) waiters.delete(invocationId);
        };
        const tell = (state: FinalState) => {
          done();
          resolve(state);
        };
        const patience = setTimeout(() => {
          done();
          reject(
            new MarketError('engine_unavailable', {
              invocationId,
              message: 'The call is still being settled.',
            }),
          );
        }, patienceMs);
        waiters.set(invocationId, tellers.add(tell));
        lookAt([invocationId]);
      });
    },
  };
}

export type InvocationWatch = ReturnType<typeof createInvocationWatch>;
