import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { ApiScope } from '../domain/accounts/api-key';
import type { Permission } from '../domain/accounts/roles';
import type { ErrorCode, FieldProblem } from '../domain/errors';

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Role = 'buyer' | 'developer' | 'operator';

/**
 * Authentication of an operation. `public`: none. `session`: a session cookie. A scope: a session cookie, or an API key
 * with that scope. `publicReads` opens a read operation to unauthenticated callers while the setting PUBLIC_READS is
 * on; the OpenAPI document then lists no authentication as an alternative.
 */
export type OperationAuth = 'public' | 'session' | { scope: ApiScope; publicReads?: true };

/** A success response: a JSON schema, `null` for no body, or another media type (`text/event-stream`, …). */
export type ResponseSpec = TSchema | null | { mediaType: string; description: string };

/**
 * The form of errors: a page for a person; the body of RFC 6749, section 5.2; OpenAI's; the errors of A2A 1.0 for
 * HTTP+JSON, alone or beside the error body of the contract; or JSON-RPC 2.0, alone or beside it.
 */
export type ErrorForm = 'page' | 'oauth' | 'openai' | 'a2a' | 'a2aOrOwn' | 'jsonRpc' | 'jsonRpcOrOwn';

/**
 * One row of the operation table. Request validation, handler types and `/openapi.json` are all derived from it, so
 * they cannot disagree. `path` is in OpenAPI form: `/v1/agents/{agent_id}/invoke`.
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
  /**
   * The operation also accepts an OAuth access token with its scope, issued for the agent of its path, or for the
   * market. A path without an agent, and those of A2A, accept those for the market.
   */
  acceptsToken?: true;
  /**
   * A `public` operation that also shows private agents to the callers who may know them. It takes an API key or token
   * that may read or call agents, or a session; without one, and with one that is not valid, the caller is a visitor.
   */
  knowsCaller?: true;
  /**
   * While payments by x402 are on (setting X402), a caller without credentials may pay for the call; the 402 that asks
   * for the payment comes before the body is read.
   */
  payable?: true;
  /**
   * A paying address (docs/pay-per-call.md) may call the operation by a statement that it signs, in the header
   * `SIGN-IN-WITH-X`.
   */
  bySignedStatement?: true;
  /**
   * What a member of an organisation needs to call the operation for it (`domain/accounts/roles.ts`). Derived from the
   * scope where it is left out (`permissions.ts`); an operation that takes a session alone must name it.
   */
  permission?: Permission;
  /** Roles that may call the operation; other users get 403 `forbidden`. */
  roles?: readonly Role[];
  params?: P;
  query?: Q;
  /** JSON body, validated strictly. When absent, the operation takes no body. */
  body?: B;
  /**
   * Problems that the service finds in a body of the right form. They are listed beside the problems of form, so that a
   * 422 names every invalid field at once. The body is not validated.
   */
  laterProblems?: (body: Readonly<Record<string, unknown>>) => FieldProblem[];
  /** The same for the query. */
  laterQueryProblems?: (query: Readonly<Record<string, unknown>>) => FieldProblem[];
  /** Limit of the request body in bytes; default 1 MiB. */
  bodyLimitBytes?: number;
  /** The handler reads the raw bytes, of a form or of any type. A body schema is then used in the document only. */
  rawBody?: boolean | 'form';
  /** Headers that the operation reads; used in the document only. */
  headers?: TObject;
  /** Success responses by status. The first is used when a handler does not choose a status. */
  responses: Record<number, ResponseSpec>;
  /** Further media types of the first success response: a stream, or the form of another protocol. */
  alternatives?: readonly string[];
  /** The form of its errors. Undefined for the error body of the contract. */
  errorForm?: ErrorForm;
  /** Error codes of this operation, in addition to those that follow from its definition. */
  errors?: readonly ErrorCode[];
  examples?: { request?: unknown; response?: unknown };
  /** Carries the response type; never set. */
  readonly _response?: R;
}

/** Who may call an operation. One that takes a session alone does not compile without its permission. */
type Guard =
  | { auth: 'public'; roles?: readonly Role[]; permission?: never }
  | { auth: Exclude<OperationAuth, string>; roles?: readonly Role[]; permission?: Permission }
  | { auth: 'session'; roles: readonly ['operator']; permission?: never }
  | { auth: 'session'; roles?: readonly Role[]; permission: Permission };

/** Declares an operation and preserves the types of its schemas. */
export function defineOperation<
  const P extends TObject,
  const Q extends TObject,
  const B extends TSchema,
  const S extends Record<number, ResponseSpec>,
>(
  operation: Omit<Operation<P, Q, B>, 'responses' | '_response' | 'auth' | 'roles' | 'permission'> &
    Guard & { responses: S },
): Operation<P, Q, B, SuccessBody<S>> & { responses: S } {
  return operation;
}

type SuccessBody<S extends Record<number, ResponseSpec>> = {
  [K in keyof S]: S[K] extends TSchema ? Static<S[K]> : undefined;
}[keyof S];

/** The type of an operation's request body. */
export type BodyOf<O> = O extends Operation<infer _P, infer _Q, infer B> ? Static<B> : never;
