import type { Request, Response, Router } from 'express';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Operation } from '../../contract/operation';
import type { Principal } from '../identity/principal';

/** What a handler gets: everything validated, the caller resolved, and the raw request for streams only. */
export interface HandlerInput<P extends TObject, Q extends TObject, Body> {
  params: Static<P>;
  query: Static<Q>;
  body: Body;
  /** The authenticated caller; reading it in an operation that nobody authenticated for is a fault (500). */
  readonly principal: Principal;
  /** The caller if there is one; for `public` operations and open reads. */
  caller: Principal | null;
  /** 32 hexadecimal digits; the answer carries it as `X-Trace-Id`. */
  traceId: string;
  /** How many calls of this service led to the request; goes into every call that it causes. */
  hops: number;
  /** Reads the raw body of a `rawBody` operation, within the operation's limit; call it once. */
  readBytes: () => Promise<Buffer>;
  req: Request;
  res: Response;
}

/** A handler returns the body, or a full answer when it needs another status or headers. */
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

/** Ties operations to handlers; `api/app.ts` mounts what it has collected. */
export interface RouteBinder {
  bind<P extends TObject, Q extends TObject, B extends TSchema, R>(
    operation: Operation<P, Q, B, R>,
    handler: Handler<P, Q, Static<B>, R>,
  ): void;
  /**
   * The same for large bodies: `prepare` turns the validated body into what the handler keeps (its bytes, a hash), in
   * the lane of blocking work, so that the parsed value is gone while the handler waits.
   */
  bindPrepared<P extends TObject, Q extends TObject, B extends TSchema, R, Prepared>(
    operation: Operation<P, Q, B, R>,
    prepare: (body: Static<B>) => Prepared,
    handler: Handler<P, Q, Prepared, R>,
  ): void;
  readonly router: Router;
  readonly operations: readonly Operation[];
}

/** A resource's route file exports one of these; `api/routes.ts` lists them all. */
export type BindRoutes<Deps> = (binder: RouteBinder, deps: Deps) => void;
