/**
 * Admission of calls (docs/life-of-a-call.md#step-by-step): the input is checked against the version that serves the
 * agent, then one statement of the database decides everything that depends on the buyer: credits, limits, idempotency
 * and free calls. Free calls are counted by buyer, agent and UTC month; unused free calls do not roll over.
 */
import { MarketError } from '../../domain/errors';
import { MAX_HOPS } from '../../domain/calls/hops';
import { leastCostOf } from '../../domain/catalogue/pricing';
import type { NamedQuote } from '../../domain/prices/quote';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import type { TokenCounter } from '../../kit/tokens/tokens';
import { newId } from '../../kit/ids/ids';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { judgeEarlier } from '../../stores/calls/invocations';
import {
  acceptInvocations,
  type AcceptItem,
  type AcceptResult,
  type CallBatches,
} from '../../stores/calls/call-batches';
import { pricedBy, pricedNow, type ServingVersion } from '../../stores/catalogue/serving-versions';
import * as acceptance from './answers/acceptance';
import { inputTokens, type InputTokens } from './agent/metering';
import { leaseMs } from './agent/agent-steps';
import type { ChunkSink } from './agent/delivery';
import type { InFlightCall, PayingCaller } from './agent/in-flight';
import { type AcceptLimits, limitsOf, type Seat } from './in-flight-limit';
import { type PreparedInput, requireInput } from './agent/input-check';
import type { InvocationRegistry } from './invocation-registry';
import type { CallOrder } from './call-order';
import { byMandate, refusalOf } from './call-refusal';
import { requireStoredRoom, type StoredQuotas } from './stored-room';
import type { CallPayer } from '../mandates/mandate-use';
import { quotedVersionId } from '../prices/quoted-version';
import type { ToolCaller } from '../mcp/caller';
import type { ServingVersions } from '../catalogue/serving-version-cache';

export interface AdmissionDeps {
  pool: DbPool;
  batches: Pick<CallBatches, 'accept'>;
  config: AcceptLimits & StoredQuotas & acceptance.AcceptanceDeps['config'];
  order: Pick<CallOrder, 'holdsAtOnce' | 'available'>;
  registry: InvocationRegistry;
  servingVersions: ServingVersions;
  schemas: SchemaPool;
  tokens: TokenCounter;
}

/** How often a call is checked whose agent changes versions. */
const MAX_TRIES = 3;

export interface InvokeRequest extends CallPayer {
  agentId: string;
  surface: AcceptItem['surface'];
  input: PreparedInput;
  /** The call has the version and the price of this quote. */
  quote?: NamedQuote | undefined;
  /** The caller's own ceiling. */
  maxCostCredits: number | null;
  /** The lower one of the caller's ceiling and that of the mandate. */
  ceilingCredits: number | null;
  /** Idempotency key with its namespace: `k:<client key>`. */
  idempotencyKey: string | null;
  metadata?: AcceptItem['metadata'] | undefined;
  /** The tests that the caller has set for the answer. */
  accept?: acceptance.CallAcceptance | undefined;
  traceId: string;
  hops: number; // Calls of this service that led to this one; at the limit, the call is refused.
  /** For a caller that wants a streamed answer. Ignored if the call joins an earlier one. */
  sink?: ChunkSink;
  /** For a client of MCP that hears of its call while it runs. */
  toolCaller?: ToolCaller | undefined;
  /** Aborts when the caller disconnects. The call continues, and its answer is stored. */
  gone?: AbortSignal;
  /** The caller does not wait for the answer, which is stored until it is fetched. */
  detached?: true;
  /** Aborts when the caller no longer waits for the call that it joined. */
  patience?: AbortSignal;
  /** Set for an address that pays by x402. */
  payer?: PayingCaller;
}

export type JoinedCall =
  | { kind: 'attached'; invocationId: string; local: InFlightCall | undefined }
  | { kind: 'replayed'; invocationId: string };

/** The facts about a new call that do not depend on its buyer: the serving version, and the tokens of the input. */
export interface NewCallFacts extends InputTokens {
  kind: 'new';
  version: ServingVersion;
  acceptance: acceptance.KnownAcceptance | undefined;
}

/** A call that the database has accepted. */
export interface AcceptedCall {
  kind: 'accepted';
  invocationId: string;
  version: ServingVersion;
  acceptance: acceptance.KnownAcceptance | undefined;
  tokensIn: number | null;
  priceUnits: number;
  free: boolean;
  /** The hold was placed and the call may be forwarded. */
  held: boolean;
  /** A worker performs it. */
  isTask: boolean;
}

/** Writes what a worker needs, in the transaction that accepts the call. It may refuse the call, by an error. */
export type KeepCall = (tx: Db, price: Pick<AcceptedCall, 'priceUnits'>) => Promise<void>;

/**
 * The performer of a new call: this process, in a place that is reserved before the input is checked, or a worker. For
 * a worker, `seal` prepares what the worker needs; undefined if this process performs calls of that version.
 */
export interface NewCallTerms {
  seat?: Seat;
  seal: (invocationId: string, facts: NewCallFacts) => Promise<KeepCall> | undefined;
}

/**
 * Decides on a call: checks it against the version that serves its agent, then accepts it in the database. Starts again
 * when another version, or none, serves the agent by then. Throws the refusals that `Invocations.begin` names.
 */
export async function admit(
  deps: AdmissionDeps,
  request: InvokeRequest,
  terms: NewCallTerms,
): Promise<AcceptedCall | JoinedCall> {
  const newCallId = newId('inv');
  for (let tries = 1; ; tries += 1) {
    const facts = await prepare(deps, request, terms.seat);
    if (facts.kind !== 'new') return facts;
    if (request.detached && !facts.version.jobs)
      await requireStoredRoom(deps.pool, deps.config, request.buyerUserId, pricedNow(facts.version));
    if (terms.seat && !deps.order.available()) throw new MarketError('engine_unavailable');
    const accepted = await accept(deps, request, facts, newCallId, terms);
    const { outcome, invocationId, isFormer, ...price } = accepted;
    const version = pricedBy(facts.version, isFormer);
    if (outcome === 'accepted') return { ...facts, ...price, version, kind: 'accepted', invocationId };
    if (outcome === 'replay' || outcome === 'attach') return joined(deps.registry, outcome, invocationId);
    if (outcome === 'idempotency_key_reused' || outcome === 'already_disputed')
      throw new MarketError(outcome, { invocationId });
    if (outcome !== 'not_found' || tries === MAX_TRIES)
      throw refusalOf({ ...accepted, outcome }, request, version, facts.tokensIn);
    deps.servingVersions.forget(request.agentId);
  }
}

/** The call that this one joins, as the database judges it before the input is checked. */
async function earlierCall(
  { pool, registry }: AdmissionDeps,
  { buyerUserId, agentId, idempotencyKey, input, accept, mandate }: InvokeRequest,
): Promise<JoinedCall | undefined> {
  if (idempotencyKey === null) return undefined;
  const earlier = await judgeEarlier(pool, {
    buyer_user_id: buyerUserId,
    idempotency_key: idempotencyKey,
    agent_id: agentId,
    input_sha256: input.sha256,
    ...(accept && { accept_sha256: accept.sha256 }),
    mandate: mandate?.item ?? null,
  });
  if (!earlier) return undefined;
  const { outcome, invocationId } = earlier;
  if (outcome !== 'replay' && outcome !== 'attach') throw new MarketError(outcome, { invocationId });
  return joined(registry, outcome, invocationId);
}

/** The checks that need no lock on the buyer's wallet; or the earlier call with the same key. */
async function prepare(
  deps: AdmissionDeps,
  request: InvokeRequest,
  seat: Seat | undefined,
): Promise<NewCallFacts | JoinedCall> {
  if (request.hops >= MAX_HOPS) throw new MarketError('a2a_depth_exceeded', { retryAfterSeconds: 1 });
  const earlier = await earlierCall(deps, request);
  if (earlier) return earlier;
  const lately = request.quote ? undefined : deps.servingVersions.lately(request.agentId);
  if (lately) seat?.acquire(pricedNow(lately));
  try {
    if (lately) return await checkInput(deps, request, lately);
  } catch (refused) {
    // A refusal counts only if the version that caused it still serves.
    if ((await servingVersion(deps, request)) === lately) throw refused;
  }
  const version = await (request.quote
    ? quotedVersion(deps, request, request.quote)
    : servingVersion(deps, request));
  seat?.acquire(pricedNow(version));
  return checkInput(deps, request, version);
}

/** The version of a quote, while its agent can be called. Throws as `quotedVersionId` does. */
async function quotedVersion(deps: AdmissionDeps, request: InvokeRequest, quote: NamedQuote) {
  const { agentId, input, buyerUserId, mandate } = request;
  const callerUserId = mandate?.item.caller_user_id ?? buyerUserId;
  await servingVersion(deps, request);
  const call = { callerUserId, agentId, inputSha256: quote.inputSha256 ?? input.sha256 };
  return deps.servingVersions.byId(await quotedVersionId(deps.pool, quote, call));
}

/**
 * A call paid under a mandate must not reveal the issuer's private agents or the state of its agents, so the version is
 * looked up for the caller. The statement that accepts the call refuses an agent that the issuer may not know.
 */
function servingVersion({ servingVersions }: AdmissionDeps, request: InvokeRequest): Promise<ServingVersion> {
  const { agentId, buyerUserId, mandate } = request;
  const viewer = mandate?.item.caller_user_id ?? buyerUserId;
  return servingVersions.ofAgent(agentId, viewer, { hidesState: mandate !== undefined });
}

async function checkInput(
  deps: AdmissionDeps,
  request: InvokeRequest,
  version: ServingVersion,
): Promise<NewCallFacts> {
  await requireInput(deps.schemas, version, request.input);
  const tests = await acceptance.requireAcceptance(deps, request, version);
  return { kind: 'new', version, acceptance: tests, ...(await inputTokens(deps, request, version)) };
}

type Decision = AcceptResult & Pick<AcceptedCall, 'held' | 'isTask'>;

/**
 * Accepts or refuses in one statement. The rows that `seal` prepared are written in the same transaction. A call whose
 * steps begin at once also gets its hold in it.
 */
async function accept(
  deps: AdmissionDeps,
  request: InvokeRequest,
  facts: NewCallFacts,
  newCallId: string,
  { seal, seat }: NewCallTerms,
): Promise<Decision> {
  const keep = await seal(newCallId, facts);
  const isTask = keep !== undefined;
  const item = {
    ...itemOf(deps, request, facts, newCallId, seat?.mayBeUnpaid ?? true),
    ...(isTask && { is_task: true as const }),
  };
  const payment = request.payer?.payment;
  if (!isTask && (payment || deps.order.holdsAtOnce)) {
    const { idempotencyKey, sink = null } = request;
    const lease = { version: facts.version, keyed: idempotencyKey !== null, sink };
    const [held, forwarded] = [deps.order.holdsAtOnce, { ...item, lease_ms: leaseMs(lease) }];
    const result = await (payment ? payment.accept(forwarded, held) : deps.batches.accept(forwarded));
    return { ...byMandate(request, result), held, isTask };
  }
  const decide = async (db: Db): Promise<Decision> => {
    const [result] = await acceptInvocations(db, [item]);
    if (!result) throw new Error('accept returned nothing');
    return { ...byMandate(request, result), held: false, isTask };
  };
  if (!keep) return decide(deps.pool);
  return withTransaction(deps.pool, async (tx) => {
    const result = await decide(tx);
    if (result.outcome === 'accepted') await keep(tx, result);
    return result;
  });
}

/** The facts that the database checks under the lock of the buyer's wallet. */
function itemOf(
  { registry, config }: Pick<AdmissionDeps, 'registry' | 'config'>,
  request: InvokeRequest,
  { version, atLeast }: NewCallFacts,
  invocationId: string,
  mayBeUnpaid: boolean,
): AcceptItem {
  return {
    invocation_id: invocationId,
    buyer_user_id: request.buyerUserId,
    agent_id: version.agentId,
    version_id: version.versionId,
    surface: request.surface,
    max_cost_credits: request.ceilingCredits,
    least_cost_credits: leastCostOf(version.terms, atLeast),
    ...(version.former && { former_least_cost_credits: leastCostOf(version.former.terms, atLeast) }),
    idempotency_key: request.idempotencyKey,
    input_sha256: request.input.sha256,
    input_bytes: request.input.body.length,
    owner: registry.owner,
    trace_id: request.traceId,
    ...limitsOf(config, version, mayBeUnpaid),
    key_id: request.keyId,
    ...(request.memberId !== undefined && { member_user_id: request.memberId }),
    ...(request.quote && { quote_id: request.quote.id }),
    ...(request.quote?.inputSha256 !== undefined && { quoted_sha256: request.quote.inputSha256 }),
    ...(request.metadata && { metadata: request.metadata }),
    ...(request.accept && { accept_sha256: request.accept.sha256 }),
    ...(request.payer && { payer: request.payer.payment ? 'payment' : 'credits' }),
    mandate: request.mandate?.item ?? null,
  };
}

const joined = (registry: InvocationRegistry, how: 'replay' | 'attach', invocationId: string): JoinedCall =>
  how === 'replay'
    ? { kind: 'replayed', invocationId }
    : { kind: 'attached', invocationId, local: registry.find(invocationId) };
