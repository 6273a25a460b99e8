import type { Static, TObject } from '@sinclair/typebox';
import type { Request, Response } from 'express';
import type { Principal } from '../identity/principal';
import type { BodyTask } from './body-task';

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
   * Reads the raw body of a `rawBody` operation, up to the operation's limit, and runs `work` on it while its bytes
   * count as held. Call it at most once.
   */
  readBytes: <T>(work: (bytes: Buffer) => T | Promise<T>) => Promise<T>;
  /** Performs work on the bytes of a raw body at the expense of the caller (`body-threads.ts`). */
  perform: <T>(task: BodyTask, bytes: Buffer) => Promise<T>;
  req: Request;
  res: Response;
}
