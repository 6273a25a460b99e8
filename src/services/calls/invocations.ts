/**
 * Accepting calls (docs/life-of-a-call.md#step-by-step). Everything that can refuse a call is decided before its
 * workflow exists. Refused calls therefore cost the engine nothing, and 402 responses are exact for any number of
 * parallel calls. Every surface (invoke, chat, use, MCP, A2A) builds its request here.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, MarketError } from '../../domain/errors';
import type { PresentedMandate } from '../../domain/mandates/mandate';
import { readInvocation } from '../../stores/calls/invocation-reads';
import { failPending } from '../../stores/calls/invocations';
import type { DbPool } from '../../stores/db';
import {
  type AcceptedCall,
  admit,
  type AdmissionDeps,
  type InvokeRequest,
  type JoinedCall,
  type KeepCall,
  type NewCallTerms,
} from './call-admission';
import type { KnownAcceptance } from './answers/acceptance';
import type { InvocationRegistry } from './invocation-registry';
import { type Caller, type MandateUse, payerOf } from '../mandates/mandate-use';
import type { Mandates } from '../mandates/mandates';
import type { CallFailure, InFlightCall, NewCall } from './agent/in-flight';
import {
  type CallPlaces,
  createCallWaiters,
  createInFlightLimit,
  limited,
  openSeat,
  type Seat,
} from './in-flight-limit';

export type { InvokeRequest };

/**
 * `kept`: a worker performs the call, because its agent takes jobs. `leave`: the caller calls it when it no longer
 * waits for such a call, or for one that it joined. `isTask`: a worker performs the call that it joined.
 */
export type Accepted =
  | { kind: 'accepted'; call: InFlightCall }
  | (Pick<AcceptedCall, 'invocationId' | 'version' | 'priceUnits'> & { kind: 'kept'; leave: () => void })
  | (Extract<JoinedCall, { kind: 'attached' }> & { isTask: boolean; leave: () => void })
  | Extract<JoinedCall, { kind: 'replayed' }>;

/** `joined`: the earlier call with the same idempotency key, running or ended. */
export type KeptCall =
  | Pick<AcceptedCall, 'kind' | 'invocationId' | 'version' | 'priceUnits'>
  | { kind: 'joined'; invocationId: string };

/** How often a process that stops looks whether its calls have ended. */
const DRAIN_LOOK_MS = 25;

export interface InvocationsDeps extends AdmissionDeps {
  places: CallPlaces;
  /** Prepares what a worker needs to perform a call. */
  sealCall: (
    request: InvokeRequest,
    invocationId: string,
    acceptance: KnownAcceptance | undefined,
  ) => Promise<KeepCall>;
}

export function createInvocations(deps: InvocationsDeps) {
  const { pool, registry, places } = deps;
  const limit = createInFlightLimit(deps.config.MAX_IN_FLIGHT_PER_BUYER);
  const waiters = createCallWaiters();
  let isClosed = false;

  return {
    /**
     * Refuses further calls with `not_ready`, because this process stops. Resolves when all calls that it admitted or
     * was admitting have ended, or after `patienceMs`.
     */
    async drain(patienceMs: number): Promise<void> {
      isClosed = true;
      const giveUpAt = performance.now() + patienceMs;
      while (limit.size > 0 && performance.now() < giveUpAt) await sleep(DRAIN_LOOK_MS);
    },

    /**
     * Accepts a call, or joins the earlier one with the same idempotency key. Throws `not_found`, `payload_too_large`,
     * `input_schema_mismatch`, `insufficient_credits`, `credit_cap_exceeded`, `max_cost_exceeded`,
     * `concurrency_limited`, `idempotency_key_reused`, `already_disputed`, `a2a_depth_exceeded`, `not_authenticated`
     * (the API key was deleted meanwhile), and for new calls `engine_unavailable`. Nothing is written if it throws.
     */
    async begin(request: InvokeRequest): Promise<Accepted> {
      if (isClosed) throw stopping();
      const { buyerUserId } = request;
      const seat = openSeat(places, limit, buyerUserId);
      try {
        // A call with a key may join an earlier one, which needs no place.
        if (seat.isPast && request.idempotencyKey === null) throw limited();
        const seal: NewCallTerms['seal'] = (id, { version, acceptance }) =>
          version.jobs ? deps.sealCall(request, id, acceptance) : undefined;
        const admitted = await admit(deps, request, { seat, seal });
        if (admitted.kind === 'accepted') return opened(registry, request, admitted, seat);
        seat.leave();
        if (admitted.kind === 'replayed') return admitted;
        const byWorker = await isTask(pool, admitted);
        return { ...admitted, isTask: byWorker, leave: waiters.enter(admitted.invocationId, buyerUserId) };
      } catch (error) {
        seat.leave();
        throw error;
      }
    },

    /**
     * Like `begin`, for a call that a worker performs and whose caller does not wait. The data that the worker needs is
     * written in the transaction that accepts the call.
     */
    async beginKept(
      request: InvokeRequest,
      seal: (invocationId: string, acceptance: KnownAcceptance | undefined) => Promise<KeepCall>,
    ): Promise<KeptCall> {
      const admitted = await admit(deps, request, { seal: (id, { acceptance }) => seal(id, acceptance) });
      return admitted.kind === 'accepted'
        ? admitted
        : { kind: 'joined', invocationId: admitted.invocationId };
    },

    /** Undoes an accept whose workflow may not run. Returns false if the hold was placed first; the call continues. */
    async abandon(call: InFlightCall, code: ErrorCode): Promise<boolean> {
      const state = await failPending(pool, call.invocationId, code);
      if (state.status !== 'failed') return false;
      call.finish({ ok: false, code: state.errorCode ?? code });
      return true;
    },
  };
}

export type Invocations = ReturnType<typeof createInvocations>;

/** The error that a caller sees when a call did not succeed. */
export function failureOf(result: CallFailure, invocationId: string): MarketError {
  return new MarketError(result.code, {
    message: result.message,
    invocationId,
    agentMessage: result.agentMessage,
  });
}

/** Whether a worker performs a call that was joined. A call of this process is none. */
async function isTask(
  pool: DbPool,
  { invocationId, local }: Extract<JoinedCall, { kind: 'attached' }>,
): Promise<boolean> {
  return local === undefined && (await readInvocation(pool, invocationId))?.isTask === true;
}

/** A new call in its place, which it keeps until it ends or, if a worker performs it, until its caller leaves. */
function opened(
  registry: InvocationRegistry,
  request: InvokeRequest,
  admitted: AcceptedCall,
  seat: Seat,
): Accepted {
  seat.accepted(admitted.priceUnits === 0);
  if (admitted.isTask) {
    const { invocationId, version, priceUnits } = admitted;
    return { kind: 'kept', invocationId, version, priceUnits, leave: () => seat.leave() };
  }
  const call = registry.open(toCall(request, admitted));
  void call.done.then(() => seat.leave());
  return { kind: 'accepted', call };
}

function stopping(): MarketError {
  const message = 'This process is stopping. Retry: another one answers.';
  return new MarketError('not_ready', { message, retryAfterSeconds: 1 });
}

function toCall(request: InvokeRequest, accepted: AcceptedCall): NewCall {
  const { invocationId, version, acceptance, tokensIn, priceUnits, free, held } = accepted;
  return {
    invocationId,
    buyerUserId: request.buyerUserId,
    version,
    priceUnits,
    free,
    held,
    ceilingCredits: request.ceilingCredits,
    acceptance,
    tokensIn,
    traceId: request.traceId,
    hops: request.hops,
    input: request.input.body,
    inputType: request.input.contentType,
    keyed: request.idempotencyKey !== null,
    keepsBodies: request.keepsBodies,
    ...(request.detached && { detached: true }),
    sink: request.sink ?? null,
    ...(request.toolCaller && { toolCaller: request.toolCaller }),
    gone: request.gone ?? null,
    ...(request.payer?.payment && { payment: request.payer.payment }),
  };
}

/** A client's call, in terms that all surfaces share. */
export interface ClientCall extends Pick<
  InvokeRequest,
  | 'agentId'
  | 'surface'
  | 'input'
  | 'quote'
  | 'maxCostCredits'
  | 'metadata'
  | 'accept'
  | 'traceId'
  | 'hops'
  | 'gone'
  | 'sink'
  | 'toolCaller'
> {
  /** The authenticated caller. The payer is the issuer of the mandate, if there is one. */
  principal: Caller;
  /** The idempotency key as the client sent it; undefined if there is none. */
  idempotencyKey: string | undefined;
  /** Stored key, with its own namespace, for a call without a client's key. By default, such a call has no key. */
  defaultKey?: string;
  mandate: PresentedMandate | undefined;
  /** RFC 8785 JSON of the input as the client sent it. Called only if the mandate has a proof. */
  canonicalInput: () => string;
}

/**
 * Verifies the mandate of a call, if it has one. Throws `mandate_invalid` and `a2a_depth_exceeded`, like
 * `Mandates.vet`.
 */
async function mandateUseOf(
  mandates: Pick<Mandates, 'vet'>,
  { mandate, agentId, principal, idempotencyKey, canonicalInput }: ClientCall,
): Promise<MandateUse | undefined> {
  if (!mandate) return undefined;
  return mandates.vet({
    mandate,
    agentId,
    callerUserId: principal.userId,
    idempotencyKey: idempotencyKey ?? null,
    canonicalInput,
  });
}

/** The request to the engine. Clients' keys are stored with the prefix `k:`. */
export function callRequestOf(call: ClientCall, mandateUse: MandateUse | undefined): InvokeRequest {
  const { principal, idempotencyKey, defaultKey, mandate: _verified, canonicalInput: _used, ...rest } = call;
  requireOwnMetadata(call, mandateUse);
  return {
    ...rest,
    ...payerOf(principal, mandateUse),
    ceilingCredits: ceilingOf(call.maxCostCredits, mandateUse),
    idempotencyKey: idempotencyKey === undefined ? (defaultKey ?? null) : `k:${idempotencyKey}`,
  };
}

/**
 * The pairs of a call belong to its payer, whose spending they sum. Throws `validation_failed` for those that the
 * holder of a mandate would put on the calls of its issuer.
 */
function requireOwnMetadata({ metadata, principal }: ClientCall, mandate: MandateUse | undefined): void {
  if (!mandate || mandate.issuerUserId === principal.userId || !metadata) return;
  if (Object.keys(metadata).length === 0) return;
  const message = 'A call that a mandate of another account pays has no metadata: leave it out.';
  const detail = [{ loc: ['metadata'], msg: message, type: 'metadata' }];
  throw new MarketError('validation_failed', { message, detail });
}

/** Verifies the mandate and builds the request. */
export async function admittedCallOf(
  mandates: Pick<Mandates, 'vet'>,
  call: ClientCall,
): Promise<InvokeRequest> {
  return callRequestOf(call, await mandateUseOf(mandates, call));
}

/** The cost ceiling of a call: the lower one of the caller's ceiling and that of the mandate. */
function ceilingOf(maxCostCredits: number | null, mandate: MandateUse | undefined): number | null {
  const allowed = mandate?.ceilingCredits ?? null;
  if (maxCostCredits === null || allowed === null) return maxCostCredits ?? allowed;
  return Math.min(maxCostCredits, allowed);
}
