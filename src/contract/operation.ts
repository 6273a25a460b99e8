import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { ApiScope } from '../domain/accounts/api-key';
import type { ErrorCode } from '../domain/errors';

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Role = 'buyer' | 'developer' | 'operator';

/**
 * Who may call: `public` nobody is asked; `session` the cookie only; a scope: the cookie, or an API key that has it.
 * `publicReads` opens a read to everybody when the setting PUBLIC_READS is on.
 */
export type OperationAuth = 'public' | 'session' | { scope: ApiScope; publicReads?: boolean };

/** A successful answer: a JSON schema, `null` for no body, or another media type (`text/event-stream`, …). */
export type ResponseSpec = TSchema | null | { mediaType: string; description: string };

/**
 * One row of the operation table. It validates requests, types handlers and makes `/openapi.json`, so that the
 * three cannot disagree. `path` is in OpenAPI form: `/v1/agents/{agent_id}/invoke`.
 */
export interface Operation<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R = unknown,
> {
  id: string;
  method: HttpMethod;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  auth: OperationAuth;
  /** Needs one of these roles besides being authenticated; 403 `forbidden` otherwise. */
  roles?: readonly Role[];
  params?: P;
  query?: Q;
  /** JSON body, validated strictly. Absent: the operation takes no body. */
  body?: B;
  /** Limit of the request body in bytes; default 1 MiB. */
  bodyLimitBytes?: number;
  /** The handler reads the raw bytes itself; a body schema is then for the document only. */
  rawBody?: boolean;
  /** Headers that the operation understands, for the document only. */
  headers?: TObject;
  /** Success status → what is answered. The first one is used when a handler names none. */
  responses: Record<number, ResponseSpec>;
  /** Codes that this operation may answer besides those every operation may. */
  errors?: readonly ErrorCode[];
  examples?: { request?: unknown; response?: unknown };
  /** Type carrier for the response; never set. */
  readonly _response?: R;
}

/** Declares an operation and keeps the types of its schemas. */
export function defineOperation<
  const P extends TObject,
  const Q extends TObject,
  const B extends TSchema,
  const S extends Record<number, ResponseSpec>,
>(
  operation: Omit<Operation<P, Q, B>, 'responses' | '_response'> & { responses: S },
): Operation<P, Q, B, SuccessBody<S>> & { responses: S } {
  return operation;
}

type SuccessBody<S extends Record<number, ResponseSpec>> = {
  [K in keyof S]: S[K] extends TSchema ? Static<S[K]> : undefined;
}[keyof S];

export type BodyOf<O> = O extends Operation<infer _P, infer _Q, infer B> ? Static<B> : never;
