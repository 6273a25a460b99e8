/**
 * The two statements of every call: its acceptance, with its hold and the permit to forward it, and its settlement.
 * Those of one buyer lock the same wallet, so the ones that arrive while one runs are performed together by the next
 * statement. Each SQL function (`migrations/functions/calls`) is one transaction. It takes an array and returns one row
 * per item, in order, so that batches of any size use the same code. Statements are named because this is the hot path.
 */
import type { CallMetadata } from '../../domain/calls/call-metadata';
import type { CapWindowFacts } from '../../domain/calls/refusal-message';
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import type { Truncation } from '../../domain/catalogue/truncation';
import type { ErrorCode } from '../../domain/errors';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { MandateReason } from '../../domain/mandates/mandate-refusal';
import { createBatches } from '../../kit/concurrency/batches';
import { type Db, type DbPool, isDatabaseUnavailable, onlyRow } from '../db';
import type { MandateItem } from '../mandates/mandates';

export interface AcceptItem {
  invocation_id: string;
  buyer_user_id: string;
  agent_id: string;
  version_id: string;
  surface: 'invoke' | 'chat' | 'use' | 'mcp' | 'a2a';
  max_cost_credits: number | null;
  /** Minimum cost of the call, unless it is free. */
  least_cost_credits: number;
  /** The same by the former price of the version, if it has one. */
  former_least_cost_credits?: number;
  idempotency_key: string | null;
  input_sha256: string;
  input_bytes: number;
  owner: string;
  trace_id: string;
  max_in_flight_buyer: number;
  max_in_flight_agent: number;
  /** The agent's own limit of its calls in flight, if it declares one. */
  max_concurrency?: number;
  /** Jobs at a time of the buyer and of the agent, if the agent takes jobs. */
  max_jobs_buyer?: number;
  max_jobs_agent?: number;
  /** A worker carries the call out, from its stored input. Absent: the process that accepts it does, except for A2A. */
  is_task?: true;
  /**
   * Calls in flight of a buyer beside which a call is accepted that costs nothing and that the wallet could not pay.
   */
  max_in_flight_unpaid: number;
  /** The buyer's API key that authenticated the call. Its credit cap limits the call. */
  key_id: string | null;
  /** The member who makes the call for the buyer, an organisation, by a session. A key or grant names its own. */
  member_user_id?: string;
  /** The quote of the call. Its version need not be the serving one. */
  quote_id?: string;
  /** The hash of the quoted input, if it is not that of the call. */
  quoted_sha256?: string;
  /** The hash of the tests that the caller has set for the answer. */
  accept_sha256?: string;
  /** Absent for a call without any. */
  metadata?: CallMetadata;
  /** The buyer is an address that pays by x402: for this call, or with credits that earlier payments left. */
  payer?: 'payment' | 'credits';
  /** The buyer's mandate that another caller uses. Its budget limits the call. */
  mandate: MandateItem | null;
}

/** `attach` and `replay` return the earlier call with the same key. Error codes are refusals, which write nothing. */
export interface AcceptResult {
  outcome: 'accepted' | 'attach' | 'replay' | AcceptRefusal | OwnRefusal | KeyRefusal | RuleRefusal;
  invocationId: string;
  /** Amount that the call holds. */
  priceUnits: number;
  /** True for a call in the free tier, which costs nothing whatever its usage. */
  free: boolean;
  /** The former price of the version counts. */
  isFormer: boolean;
  /** What a refused call lacks; null if nothing is known about it. */
  refusal: RefusalFacts | null;
}

/** The facts about a refusal for want of credits or by a mandate. */
export interface RefusalFacts {
  /**
   * Credit units left of the wallet, of the key's cap or of the mandate's budget; null if the refusal is about none.
   */
  left_units: number | null;
  /** The cap of the key, or the budget of the account, that refuses. */
  budget?: CapWindowFacts;
  /** Why the mandate does not pay (`migrations/functions/mandates/mandate_judge.sql`). */
  reason?: MandateReason;
}

/** Refusals that callers get by another code. */
export type OwnRefusal = 'wallet_frozen' | 'payment_open' | 'agent_busy' | 'quote_over' | 'quote_used';

/**
 * A limit of the API key or the OAuth grant that authenticates the call: the price of a call, the trust of an agent,
 * its agents.
 */
export type KeyRefusal = 'key_price' | 'key_trust' | 'key_agent';

/** A rule of the organisation that pays: the trust of an agent, its agents and developers. */
export type RuleRefusal = 'org_trust' | 'org_agent';

export type AcceptRefusal = Extract<
  ErrorCode,
  | 'not_found'
  | 'insufficient_credits'
  | 'max_cost_exceeded'
  | 'concurrency_limited'
  | 'credit_cap_exceeded'
  | 'budget_exceeded'
  | 'mandate_invalid'
  | 'mandate_exceeded'
  | 'not_authenticated'
  | 'idempotency_key_reused'
  | 'already_disputed'
>;

/** The state of a call in the database. Every step reads it first. */
export interface CallState {
  status: InvocationStatus;
  errorCode: ErrorCode | null;
}

export interface StateRow {
  outcome: string;
  status: InvocationStatus;
  error_code: ErrorCode | null;
}

/** The state in a row of a step. */
export function toState(row: StateRow): CallState {
  return { status: row.status, errorCode: row.error_code };
}

interface AcceptRow {
  outcome: AcceptResult['outcome'];
  invocation_id: string;
  price_units: string;
  free: boolean;
  refusal: RefusalFacts | null;
  is_former: boolean;
}

export async function acceptInvocations(db: Db, items: AcceptItem[]): Promise<AcceptResult[]> {
  const result = await db.query<AcceptRow>({
    name: 'invocation-accept',
    text: `SELECT outcome, invocation_id, price_units, free, refusal, is_former FROM invocation_accept($1::jsonb)
           ORDER BY ord`,
    values: [JSON.stringify(items)],
  });
  return result.rows.map(toAccepted);
}

/** A call that is forwarded as soon as it is accepted. */
export interface ForwardedItem extends AcceptItem {
  /** Time until the hold lapses, in ms from its acceptance. */
  lease_ms: number;
}

/**
 * Accepts calls, and places their holds with the permits to forward them, in one transaction. The caller forwards the
 * calls at once, because the leases of their holds run from now on.
 */
export async function acceptAndPermit(db: Db, items: ForwardedItem[]): Promise<AcceptResult[]> {
  const result = await db.query<AcceptRow>({
    name: 'invocation-accept-permit',
    text: `SELECT outcome, invocation_id, price_units, free, refusal, is_former FROM invocation_accept_permit($1::jsonb)
           ORDER BY ord`,
    values: [JSON.stringify(items)],
  });
  return result.rows.map(toAccepted);
}

function toAccepted(row: AcceptRow): AcceptResult {
  return {
    outcome: row.outcome,
    invocationId: row.invocation_id,
    priceUnits: unitsFromDatabase(row.price_units),
    free: row.free,
    isFormer: row.is_former,
    refusal: row.refusal,
  };
}

interface SettleItem {
  invocation_id: string;
  charged_units: number;
  output_sha256: string;
  output_bytes: number;
  tokens_in: number;
  tokens_out: number;
  duration_ms: number;
  truncated_by: Truncation | null;
  /** The answer passed the tests of its buyer. */
  accepted?: true;
  /** Encrypted answer, stored for `answer_ttl_ms`. Null if the answer is not stored. */
  answer: Buffer | null;
  answer_ttl_ms: number;
  /** Bytes that the buyer may have stored before the answer; null for an answer that is stored in any case. */
  answer_quota: number | null;
  /** Time until the earnings become payable: the length of the dispute window. */
  matures_after_ms: number;
  /** That time when the buyer is new and the developer was never paid; absent when no earnings mature late. */
  new_pair_ms?: number;
  /** The age of its first top-up that makes the buyer old; absent when the account itself is new. */
  new_topup_ms?: number;
}

/** Larger answers are encoded by Postgres, so that they do not pass through text on the event loop. */
const LARGE_BYTES = 64 * 1024;

type LargeItem = SettleItem & { answer: Buffer };

/** Whether the answer of a call is so large that the call is settled by `settleLarge`. */
function isLarge(item: SettleItem): item is LargeItem {
  return item.answer !== null && item.answer.length > LARGE_BYTES;
}

/** Settles calls. `captured`: this attempt or an earlier one took the money. */
export async function settleInvocations(db: Db, items: SettleItem[]): Promise<CallState[]> {
  const json = items.map((item) => ({ ...item, answer: item.answer?.toString('base64') ?? null }));
  const result = await db.query<StateRow>({
    name: 'invocation-settle',
    text: 'SELECT outcome, status, error_code FROM invocation_settle($1::jsonb) ORDER BY ord',
    values: [JSON.stringify(json)],
  });
  return result.rows.map(toState);
}

/** Settles a call with a large answer, as `settleInvocations` does. */
async function settleLarge(db: Db, { answer, ...item }: LargeItem): Promise<CallState> {
  const result = await db.query<StateRow>({
    name: 'invocation-settle-large',
    text: `SELECT outcome, status, error_code
      FROM invocation_settle(jsonb_set($1::jsonb, '{0,answer}', to_jsonb(encode($2::bytea, 'base64'))))`,
    values: [JSON.stringify([{ ...item, answer: null }]), answer],
  });
  return toState(onlyRow(result));
}

/** Maximum number of calls in one transaction, which keeps the buyer's wallet locked for some 40 ms. */
const MOST = 16;

/**
 * Acceptances and settlements of one buyer. They lock the same wallet, so those that arrive while one runs would wait
 * for it anyway: they are performed together by the next statement. Buyers do not wait for each other.
 */
export function createCallBatches({ pool }: { pool: DbPool }) {
  const options = { most: MOST, isOfOneItem: (error: unknown) => !isDatabaseUnavailable(error) };
  const accepts = createBatches<ForwardedItem, AcceptResult>({
    ...options,
    run: (items) => acceptAndPermit(pool, items),
  });
  const settlements = createBatches<SettleItem, CallState>({
    ...options,
    run: (items) => settleInvocations(pool, items),
  });
  return {
    /** Accepts or refuses a call, and places its hold with the permit to forward it. */
    accept: (item: ForwardedItem): Promise<AcceptResult> => accepts.perform(item.buyer_user_id, item),
    /** Settles a call of this buyer. */
    settle: (buyerUserId: string, item: SettleItem): Promise<CallState> =>
      isLarge(item) ? settleLarge(pool, item) : settlements.perform(buyerUserId, item),
  };
}

export type CallBatches = ReturnType<typeof createCallBatches>;
