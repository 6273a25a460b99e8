/**
 * What decides on a call before it exists (engine.md §2, "Accept"): its input against the version that serves the agent,
 * then everything that hangs on its buyer, in one statement of the database.
 */
import type { Config } from '../../config';
import { MarketError } from '../../domain/errors';
import { MAX_HOPS } from '../../domain/calls/hops';
import { leastCostOf } from '../../domain/catalogue/pricing';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import type { TokenCounter } from '../../kit/tokens/tokens';
import type { Db, DbPool } from '../../stores/db';
import { findByKey, type KeyedInvocation } from '../../stores/calls/invocation-reads';
import {
  acceptInvocations,
  type AcceptItem,
  type AcceptRefusal,
  type AcceptResult,
} from '../../stores/calls/invocations';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import { inputLimit } from './agent/agent-caller';
import type { ChunkSink, InFlightCall, InvocationRegistry } from './invocation-registry';
import { TOOL_CALL_SCHEMA } from '../mcp/tool-call';
import { ceilingOf, type MandateUse, mayJoin } from '../mandates/mandate-use';
import type { ServingVersions } from '../catalogue/serving-version-cache';

export interface AdmissionDeps {
  pool: DbPool;
  config: Pick<Config, 'MAX_IN_FLIGHT' | 'MAX_IN_FLIGHT_PER_BUYER' | 'MAX_IN_FLIGHT_PER_AGENT'>;
  registry: InvocationRegistry;
  servingVersions: ServingVersions;
  schemas: SchemaPool;
  tokens: TokenCounter;
}

/** How often a call is checked anew because its agent has changed versions meanwhile. */
const MAX_TRIES = 3;

/** What is sent to the agent, and its hash: of the canonical form of JSON, of the bytes of a verbatim body. */
export interface PreparedInput {
  body: Buffer;
  contentType: string;
  sha256: string;
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

export type JoinedCall =
  | { kind: 'attached'; invocationId: string; local: InFlightCall | undefined }
  | { kind: 'replayed'; invocationId: string };

/** What decides on a new call besides its buyer: the version that serves it, and what its input weighs. */
interface NewCallFacts {
  kind: 'new';
  version: ServingVersion;
  tokensIn: number | null;
}

export interface Decided {
  kind: 'decided';
  facts: NewCallFacts;
  result: AcceptResult;
}

/**
 * Decides on a call: checks it with the version that serves its agent, and asks `accept`, which uses `decide`. Once more
 * when another version serves the agent by then, or none. Throws what `Invocations.begin` says.
 */
export async function admit(
  deps: AdmissionDeps,
  request: InvokeRequest,
  accept: (facts: NewCallFacts) => Promise<AcceptResult>,
): Promise<Decided | JoinedCall> {
  for (let tries = 1; ; tries += 1) {
    const facts = await prepare(deps, request);
    if (facts.kind !== 'new') return facts;
    const result = await accept(facts);
    if (result.outcome !== 'not_found' || tries === MAX_TRIES) return { kind: 'decided', facts, result };
    deps.servingVersions.forget(request.agentId);
  }
}

async function earlierCall(
  { pool, registry }: AdmissionDeps,
  request: InvokeRequest,
): Promise<JoinedCall | undefined> {
  if (request.idempotencyKey === null) return undefined;
  const earlier = await findByKey(pool, request.buyerUserId, request.idempotencyKey);
  return earlier && joinEarlier(registry, earlier, request);
}

/** Everything that can refuse a call without its buyer's wallet; or the earlier call with the same key. */
async function prepare(deps: AdmissionDeps, request: InvokeRequest): Promise<NewCallFacts | JoinedCall> {
  if (request.hops >= MAX_HOPS) throw new MarketError('a2a_depth_exceeded', { retryAfterSeconds: 1 });
  const earlier = await earlierCall(deps, request);
  if (earlier) return earlier;
  const lately = deps.servingVersions.lately(request.agentId);
  try {
    if (lately) return await checkInput(deps, request, lately);
  } catch (refused) {
    // Only the version that serves now may refuse.
    if ((await servingVersion(deps, request)) === lately) throw refused;
  }
  return checkInput(deps, request, await servingVersion(deps, request));
}

/** Whoever spends the credits of somebody else learns nothing of that account's agents. */
function servingVersion({ servingVersions }: AdmissionDeps, request: InvokeRequest): Promise<ServingVersion> {
  return servingVersions.ofAgent(request.agentId, request.mandate ? undefined : request.buyerUserId);
}

async function checkInput(
  deps: AdmissionDeps,
  request: InvokeRequest,
  version: ServingVersion,
): Promise<NewCallFacts> {
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
  { tokens }: AdmissionDeps,
  request: InvokeRequest,
  version: ServingVersion,
): Promise<number | null> {
  if (version.terms.model !== 'per_token') return null;
  const [tokensIn = 0] = await tokens.count(request.buyerUserId, [request.input.body]);
  return tokensIn;
}

/** Asks the database, under the lock of the buyer's wallet. */
export async function decide(
  db: Db,
  { registry, config }: Pick<AdmissionDeps, 'registry' | 'config'>,
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

export function refusal(code: AcceptRefusal | 'wallet_frozen', invocationId: string): MarketError {
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
