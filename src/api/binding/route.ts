import type { Request, Response, Router } from 'express';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Operation } from '../../contract/operation';
import type { BodyTask } from '../bodies/body-task';
import type { Principal } from '../identity/principal';

/** The input of a handler: validated values, the caller, and the raw request for streams only. */
export interface HandlerInput<P extends TObject, Q extends TObject, Body> {
  params: Static<P>;
  query: Static<Q>;
  body: Body;
  /** The authenticated caller. Reading it in an operation without authentication is an internal error (500). */
  readonly principal: Principal;
  /** The caller, if there is one; for `public` operations and open reads. */
  caller: Principal | null;
  /** 32 hexadecimal digits, returned as `X-Trace-Id`. */
  traceId: string;
  /** Number of calls of this service that led to the request. It must be passed to every call that it causes. */
  hops: number;
  /**
   * Reads the raw body of a `rawBody` operation, up to the operation's limit, and runs `work` on it while its bytes count
   * as held. Call it at most once.
   */
  readBytes: <T>(work: (bytes: Buffer) => T | Promise<T>) => Promise<T>;
  /** Performs work on the bytes of a raw body at the expense of the caller (`body-threads.ts`). */
  perform: <T>(task: BodyTask, bytes: Buffer) => Promise<T>;
  req: Request;
  res: Response;
}

/** A response with its own status or headers. Handlers that need neither return the body itself. */
export class Answer<R> {
  constructor(
    readonly body: R,
    readonly options: { status?: number; headers?: Record<string, string> } = {},
  ) {}
}

/** Returned by a handler that has written to `res` itself (streams, binary documents). */
export const HANDLED = Symbol('handled');

export type Handler<P extends TObject, Q extends TObject, Body, R> = (
  input: HandlerInput<P, Q, Body>,
) => Promise<R | Answer<R> | typeof HANDLED>;

/**
 * Decides about a request with a large body before the body is read. `bytes` is the declared length; null if there is
 * none, and then the body is known to be large. Throws to refuse the request.
 */
export type Gate<P extends TObject> = (
  input: Pick<HandlerInput<P, TObject, unknown>, 'params' | 'principal' | 'req'> & { bytes: number | null },
) => Promise<void>;

/** Binds operations to handlers. `api/app.ts` mounts the result. */
export interface RouteBinder {
  bind<P extends TObject, Q extends TObject, B extends TSchema, R>(
    operation: Operation<P, Q, B, R>,
    handler: Handler<P, Q, Static<B>, R>,
    gate?: Gate<P>,
  ): void;
  /**
   * Like `bind`, for large bodies. `gate` decides before the body is read. `prepare` converts the validated body into what the handler needs (its bytes, a
   * hash). It runs in a thread for large bodies, so it must be listed in `src/api/bodies/prepares.ts`.
   */
  bindPrepared<P extends TObject, Q extends TObject, B extends TSchema, R, Prepared>(
    operation: Operation<P, Q, B, R>,
    first: { prepare: (body: Static<B>) => Prepared; gate?: Gate<P> },
    handler: Handler<P, Q, Prepared, R>,
  ): void;
  readonly router: Router;
  readonly operations: readonly Operation[];
}

/** The export of a resource's route file. `api/routes.ts` lists them all. */
export type BindRoutes<Deps> = (binder: RouteBinder, deps: Deps) => void;
