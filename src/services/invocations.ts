/**
 * Accepting a call (engine.md §2, "Accept"): everything that can refuse it is decided here, before a workflow
 * exists, so that refused work costs the engine nothing and a 402 is exact under any number of parallel calls.
 */
import type { Config } from '../config';
import { type ErrorCode, MarketError } from '../domain/errors';
import { MAX_HOPS } from '../domain/hops';
import { leastCostOf } from '../domain/pricing';
import { canonicalJson, sha256Hex } from '../kit/canonical-json';
import { newId } from '../kit/ids';
import type { SchemaPool } from '../kit/schema-pool';
import type { TokenCounter } from '../kit/tokens';
import { type Db, type DbPool, withTransaction } from '../stores/db';
import { findByKey, type KeyedInvocation } from '../stores/invocation-reads';
import {
  acceptInvocations,
  failPending,
  type AcceptItem,
  type AcceptRefusal,
  type AcceptResult,
} from '../stores/invocations';
import type { ServingVersion } from '../stores/serving-versions';
import { inputLimit } from './agent-caller';
import type { CallResult, ChunkSink, InFlightCall, InvocationRegistry } from './invocation-registry';
import { TOOL_CALL_SCHEMA } from './mcp/tool-call';
import { ceilingOf, type MandateUse, mayJoin } from './mandate-use';
import type { ServingVersions } from './serving-version-cache';

/** What is sent to the agent, and its hash: of the canonical form of JSON, of the bytes of a verbatim body. */
export interface PreparedInput {
  body: Buffer;
  contentType: string;
  sha256: string;
}

/** Blocks for as long as the input is large; keep nothing of the value afterwards. */
export function prepareInput(input: unknown): PreparedInput {
  const body = Buffer.from(JSON.stringify(input));
  return { body, contentType: 'application/json', sha256: sha256Hex(canonicalJson(input)) };
}

/** A body that is passed on as it is. */
export function prepareVerbatim(body: Buffer, contentType: string): PreparedInput {
  return { body, contentType, sha256: sha256Hex(body) };
}

export interface InvokeRequest {
  buyerUserId: string;
  /** The buyer's API key by which the call comes; null for a session, and where another's credits are spent. */
  keyId: string | null;
  agentId: string;
  surface: AcceptItem['surface'];
  input: PreparedInput;
  maxCostCredits: number | null;
  /** Namespaced key: `k:<client key>`. */
  idempotencyKey: string | null;
  traceId: string;
  /** How many calls of this service led to this one; at the limit it is refused. */
  hops: number;
  /** For a caller who wants the answer while it is made; ignored when the call joins an earlier one. */
  sink?: ChunkSink;
  /** Aborts when the caller has gone: the call goes on, and its answer is kept to be read. */
  gone?: AbortSignal;
  /** What `Mandates.admit` answered; its issuer is the buyer. */
  mandate?: MandateUse | undefined;
}

type JoinedCall =
  | { kind: 'attached'; invocationId: string; local: InFlightCall | undefined }
  | { kind: 'replayed'; invocationId: string };

export type Accepted = { kind: 'accepted'; call: InFlightCall } | JoinedCall;

/** `joined`: the earlier call with the same key, running or over. */
export type KeptCall =
  | { kind: 'accepted'; invocationId: string; version: ServingVersion; priceUnits: number }
  | { kind: 'joined'; invocationId: string };

export interface InvocationsDeps {
  pool: DbPool;
  config: Pick<Config, 'MAX_IN_FLIGHT' | 'MAX_IN_FLIGHT_PER_BUYER' | 'MAX_IN_FLIGHT_PER_AGENT'>;
  registry: InvocationRegistry;
  servingVersions: ServingVersions;
  schemas: SchemaPool;
  tokens: TokenCounter;
}

export function createInvocations(deps: InvocationsDeps) {
  const { pool, registry } = deps;

  return {
    /**
     * Accepts a call, or joins the earlier one with the same key. Throws `not_found`, `payload_too_large`,
     * `input_schema_mismatch`, `insufficient_credits`, `credit_cap_exceeded`, `max_cost_exceeded`,
     * `concurrency_limited`, `idempotency_key_reused`, `already_disputed`, `a2a_depth_exceeded`, `not_authenticated`
     * (the key was deleted meanwhile), or what `requireEngine` throws for a call that would be new; then nothing was
     * written.
     */
    async begin(request: InvokeRequest, requireEngine: () => void): Promise<Accepted> {
      if (registry.size >= deps.config.MAX_IN_FLIGHT) {
        throw new MarketError('concurrency_limited', { retryAfterSeconds: 1 });
      }
      const prepared = await prepare(deps, request);
      if (prepared.kind !== 'new') return prepared;
      requireEngine();
      return accept(deps, request, prepared);
    },

    /**
     * The same for a call that a worker carries out, whose caller does not wait: `seal` prepares what the worker needs
     * and answers how to write it, which happens in the transaction that accepts the call.
     */
    async beginKept(
      request: InvokeRequest,
      seal: (invocationId: string) => Promise<(tx: Db) => Promise<void>>,
    ): Promise<KeptCall> {
      const prepared = await prepare(deps, request);
      if (prepared.kind !== 'new') return { kind: 'joined', invocationId: prepared.invocationId };
      const newCallId = newId('inv');
      const keep = await seal(newCallId);
      const { outcome, invocationId, priceUnits } = await withTransaction(pool, async (tx) => {
        const result = await decide(tx, deps, request, prepared, newCallId);
        if (result.outcome === 'accepted') await keep(tx);
        return result;
      });
      if (outcome === 'replay' || outcome === 'attach') return { kind: 'joined', invocationId };
      if (outcome !== 'accepted') throw refusal(outcome, invocationId);
      return { kind: 'accepted', invocationId, version: prepared.version, priceUnits };
    },

    /** Undoes an accept whose workflow may not run; false when the hold was faster and the call goes on. */
    async abandon(call: InFlightCall, code: ErrorCode): Promise<boolean> {
      const state = await failPending(pool, call.invocationId, code);
      if (state.status !== 'failed') return false;
      call.finish({ ok: false, code: state.errorCode ?? code });
      return true;
    },
  };
}

export type Invocations = ReturnType<typeof createInvocations>;

/** How a finished call is told to its caller when it did not succeed. */
export function failureOf(result: Extract<CallResult, { ok: false }>, invocationId: string): MarketError {
  return new MarketError(result.code, { message: result.message, invocationId });
}

async function earlierCall(
  { pool, registry }: InvocationsDeps,
  request: InvokeRequest,
): Promise<JoinedCall | undefined> {
  if (request.idempotencyKey === null) return undefined;
  const earlier = await findByKey(pool, request.buyerUserId, request.idempotencyKey);
  return earlier && joinEarlier(registry, earlier, request);
}

/** What decides on a new call besides its buyer: the version that serves it, and what its input weighs. */
interface NewCallFacts {
  kind: 'new';
  version: ServingVersion;
  tokensIn: number | null;
}

/** Everything that can refuse a call without its buyer's wallet; or the earlier call with the same key. */
async function prepare(deps: InvocationsDeps, request: InvokeRequest): Promise<NewCallFacts | JoinedCall> {
  if (request.hops >= MAX_HOPS) throw new MarketError('a2a_depth_exceeded', { retryAfterSeconds: 1 });
  const earlier = await earlierCall(deps, request);
  if (earlier) return earlier;
  // Whoever spends the credits of somebody else learns nothing of that account's agents.
  const owner = request.mandate ? undefined : request.buyerUserId;
  const version = await deps.servingVersions.ofAgent(request.agentId, owner);
  const { body } = request.input;
  const limitBytes = inputLimit(version);
  if (body.length > limitBytes) {
    throw new MarketError('payload_too_large', {
      message: `The input has ${body.length} bytes; this agent takes at most ${limitBytes}.`,
    });
  }
  await requireMatchingInput(deps.schemas, version, body);
  return { kind: 'new', version, tokensIn: await measureInput(deps, request, version) };
}

/** Tokens of an input that is paid by them: one that alone is too dear is refused before the agent is called. */
async function measureInput(
  { tokens }: InvocationsDeps,
  request: InvokeRequest,
  version: ServingVersion,
): Promise<number | null> {
  if (version.terms.model !== 'per_token') return null;
  const [tokensIn = 0] = await tokens.count(request.buyerUserId, [request.input.body]);
  return tokensIn;
}

/** Asks the database, under the lock of the buyer's wallet. */
async function decide(
  db: Db,
  { registry, config }: Pick<InvocationsDeps, 'registry' | 'config'>,
  request: InvokeRequest,
  { version, tokensIn }: NewCallFacts,
  invocationId: string,
): Promise<AcceptResult> {
  const [result] = await acceptInvocations(db, [
    {
      invocation_id: invocationId,
      buyer_user_id: request.buyerUserId,
      agent_id: version.agentId,
      version_id: version.versionId,
      surface: request.surface,
      max_cost_credits: ceilingOf(request),
      least_cost_credits: leastCostOf(version.terms, tokensIn ?? 0),
      idempotency_key: request.idempotencyKey,
      input_sha256: request.input.sha256,
      owner: registry.owner,
      trace_id: request.traceId,
      max_in_flight_buyer: config.MAX_IN_FLIGHT_PER_BUYER,
      max_in_flight_agent: config.MAX_IN_FLIGHT_PER_AGENT,
      key_id: request.keyId,
      mandate: request.mandate?.item ?? null,
    },
  ]);
  if (!result) throw new Error('accept returned nothing');
  // Too dear for the mandate is not too dear for the caller.
  const isOverMandate =
    result.outcome === 'max_cost_exceeded' && ceilingOf(request) !== request.maxCostCredits;
  return isOverMandate ? { ...result, outcome: 'mandate_exceeded' } : result;
}

async function accept(deps: InvocationsDeps, request: InvokeRequest, facts: NewCallFacts): Promise<Accepted> {
  const { registry } = deps;
  const { version, tokensIn } = facts;
  const result = await decide(deps.pool, deps, request, facts, newId('inv'));
  const { outcome, invocationId } = result;
  if (outcome === 'replay') return { kind: 'replayed', invocationId } as const;
  if (outcome === 'attach')
    return { kind: 'attached', invocationId, local: registry.find(invocationId) } as const;
  if (outcome !== 'accepted') throw refusal(outcome, invocationId);
  const call = registry.open({
    invocationId,
    buyerUserId: request.buyerUserId,
    version,
    priceUnits: result.priceUnits,
    free: result.free,
    ceilingCredits: ceilingOf(request),
    tokensIn,
    traceId: request.traceId,
    hops: request.hops,
    input: request.input.body,
    inputType: request.input.contentType,
    keyed: request.idempotencyKey !== null,
    sink: request.sink ?? null,
    gone: request.gone ?? null,
  });
  return { kind: 'accepted', call } as const;
}

function joinEarlier(
  registry: InvocationRegistry,
  earlier: KeyedInvocation,
  { agentId, input, mandate }: InvokeRequest,
): JoinedCall {
  const { invocationId } = earlier;
  const isOther = earlier.agentId !== agentId || earlier.inputSha256 !== input.sha256;
  if (isOther || !mayJoin(mandate, earlier)) {
    throw refusal('idempotency_key_reused', invocationId);
  }
  if (earlier.status === 'disputed') throw refusal('already_disputed', invocationId);
  if (earlier.status === 'succeeded') return { kind: 'replayed', invocationId };
  return { kind: 'attached', invocationId, local: registry.find(invocationId) };
}

function refusal(code: AcceptRefusal | 'wallet_frozen', invocationId: string): MarketError {
  if (code === 'wallet_frozen')
    return new MarketError('forbidden', { message: 'The wallet that would pay is frozen.' });
  const namesEarlierCall = code === 'idempotency_key_reused' || code === 'already_disputed';
  return new MarketError(code, {
    ...(namesEarlierCall ? { invocationId } : {}),
    ...(code === 'concurrency_limited' ? { retryAfterSeconds: 1 } : {}),
  });
}

async function requireMatchingInput(
  schemas: SchemaPool,
  version: ServingVersion,
  body: Buffer,
): Promise<void> {
  const isTools = version.kind === 'mcp';
  const schema = isTools ? TOOL_CALL_SCHEMA : version.inputSchema;
  if (schema === null) return;
  const verdict = await schemas.validate(isTools ? 'mcp:input' : `${version.versionId}:input`, schema, body);
  if (verdict.valid) return;
  const detail = verdict.problems.map((problem) => ({ ...problem, loc: ['body', 'input', ...problem.loc] }));
  throw new MarketError('input_schema_mismatch', {
    detail:
      detail.length > 0 ? detail : [{ loc: ['body', 'input'], msg: verdict.reason, type: verdict.reason }],
  });
}
