import type { Router } from 'express';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Operation } from '../../contract/operation';
import type { FieldProblem } from '../../domain/errors';
import type { SchemaCheck } from '../../kit/schemas/compiled-schemas';
import type { Answer, HANDLED } from '../answers/answer';
import type { HandlerInput } from '../bodies/handler-input';
import type { Principal } from '../identity/principal';

export type Handler<P extends TObject, Q extends TObject, Body, R> = (
  input: HandlerInput<P, Q, Body>,
) => Promise<R | Answer<R> | typeof HANDLED>;

/**
 * Decides about a request with a large body before the body is read. `bytes` is the declared length; null if there is
 * none, and then the body is known to be large. Returns what the thread that parses the body needs to validate the
 * input in it. Throws to refuse the request.
 */
export type Gate<P extends TObject> = (
  input: Pick<HandlerInput<P, TObject, unknown>, 'params' | 'principal' | 'req'> & { bytes: number | null },
) => Promise<SchemaCheck | null>;

/**
 * Decides about a request without credentials before its body is read, for an operation whose callers may pay. Throws
 * to refuse the request.
 */
export type VisitorGate<P extends TObject> = (
  input: Pick<HandlerInput<P, TObject, unknown>, 'params' | 'req'>,
) => Promise<void>;

/** The input of a call whose body was refused, as the agent would get it. */
export interface RefusedInputOf<P extends TObject> {
  params: Static<P>;
  principal: Principal;
  /** The agent that the body names. */
  agentId: string | undefined;
  input: Buffer;
}

/** Binds operations to handlers. `api/app.ts` mounts the result. */
export interface RouteBinder {
  bind<P extends TObject, Q extends TObject, B extends TSchema, R>(
    operation: Operation<P, Q, B, R>,
    handler: Handler<P, Q, Static<B>, NoInfer<R>>,
    gate?: Gate<P>,
    visitorGate?: VisitorGate<P>,
  ): void;
  /**
   * Like `bind`, for calls, whose bodies are large. `gate` decides before the body is read. `prepare` converts the
   * validated body into what the handler needs (its bytes, a hash). It runs in a thread for large bodies, so it must be
   * listed in `src/api/bodies/prepares.ts`. `inputProblems` returns what the agent's schema refuses in the input of a
   * body that was refused for another reason, so that the answer names every wrong field.
   */
  bindPrepared<P extends TObject, Q extends TObject, B extends TSchema, R, Prepared>(
    operation: Operation<P, Q, B, R>,
    first: {
      prepare: (body: Static<B>) => Prepared;
      gate?: Gate<P>;
      visitorGate?: VisitorGate<P>;
      inputProblems: (refused: RefusedInputOf<P>) => Promise<readonly FieldProblem[]>;
    },
    handler: Handler<P, Q, Prepared, NoInfer<R>>,
  ): void;
  readonly router: Router;
  readonly operations: readonly Operation[];
}

/** The export of a resource's route file. `api/routes.ts` lists them all. */
export type BindRoutes<Deps> = (binder: RouteBinder, deps: Deps) => void;
