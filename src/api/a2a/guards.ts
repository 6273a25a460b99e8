/** The guards of the operations of A2A: what they throw becomes an answer in the form of the binding. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import {
  ExtendedAgentCardNotConfiguredError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { type FaultDeps, toMarketError } from '../answers/errors';
import { hiddenWaitMs } from '../answers/hidden-time';
import { contextOf } from '../identity/context';
import type { A2aRequest } from './caller';
import { MarketFault, protocolErrorOf } from './faults';

/**
 * Converts thrown errors into errors of the protocol. Our other errors end the request with their own status and
 * domain, unless a stream has begun. Unexpected errors become internal errors without details. `extensions`: those
 * that a client may activate.
 */
export function createGuards<C extends A2aRequest>(deps: FaultDeps, extensions: readonly string[]) {
  async function fault(error: unknown, caller: A2aRequest): Promise<Error> {
    if (isProtocolError(error)) return error;
    const known = toMarketError(error, deps, caller.traceId);
    const defined = protocolErrorOf(known);
    if (defined) {
      await sleep(hiddenWaitMs(known.code, contextOf(caller.req).arrivedAt));
      return defined;
    }
    if (caller.req.res?.headersSent) return new MarketFault(known, caller.isRpc);
    caller.refuse(known);
    return new Promise<never>(() => {});
  }

  function callerIn(context: ServerCallContext): C {
    for (const extension of extensions)
      if (context.requestedExtensions?.includes(extension)) context.addActivatedExtension(extension);
    return context.user as unknown as C;
  }

  return {
    guard:
      <P, R>(work: (params: P, caller: C, context: ServerCallContext) => Promise<R>) =>
      async (params: P, context: ServerCallContext): Promise<R> => {
        const caller = callerIn(context);
        try {
          return await work(params, caller, context);
        } catch (error) {
          throw await fault(error, caller);
        }
      },
    guardStream: <P, T>(work: (params: P, caller: C) => AsyncGenerator<T, void, undefined>) =>
      async function* (params: P, context: ServerCallContext): AsyncGenerator<T, void, undefined> {
        const caller = callerIn(context);
        try {
          yield* work(params, caller);
        } catch (error) {
          throw await fault(error, caller);
        }
      },
  };
}

function isProtocolError(error: unknown): error is Error {
  return (
    error instanceof UnsupportedOperationError ||
    error instanceof TaskNotCancelableError ||
    error instanceof ExtendedAgentCardNotConfiguredError
  );
}
