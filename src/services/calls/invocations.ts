/**
 * Accepting a call (engine.md §2, "Accept"): everything that can refuse it is decided here, before a workflow
 * exists, so that refused work costs the engine nothing and a 402 is exact under any number of parallel calls.
 */
import { type ErrorCode, MarketError } from '../../domain/errors';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import { newId } from '../../kit/ids/ids';
import { type Db, withTransaction } from '../../stores/db';
import { failPending } from '../../stores/calls/invocations';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import {
  admit,
  decide,
  refusal,
  type AdmissionDeps,
  type Decided,
  type InvokeRequest,
  type JoinedCall,
  type PreparedInput,
} from './call-admission';
import type { CallResult, InFlightCall, InvocationRegistry } from './invocation-registry';
import { ceilingOf } from '../mandates/mandate-use';

export type { InvokeRequest, PreparedInput };

/** Blocks for as long as the input is large; keep nothing of the value afterwards. */
export function prepareInput(input: unknown): PreparedInput {
  const body = Buffer.from(JSON.stringify(input));
  return { body, contentType: 'application/json', sha256: sha256Hex(canonicalJson(input)) };
}

/** A body that is passed on as it is. */
export function prepareVerbatim(body: Buffer, contentType: string): PreparedInput {
  return { body, contentType, sha256: sha256Hex(body) };
}

export type Accepted = { kind: 'accepted'; call: InFlightCall } | JoinedCall;

/** `joined`: the earlier call with the same key, running or over. */
export type KeptCall =
  | { kind: 'accepted'; invocationId: string; version: ServingVersion; priceUnits: number }
  | { kind: 'joined'; invocationId: string };

export function createInvocations(deps: AdmissionDeps) {
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
      const decided = await admit(deps, request, (facts) => {
        requireEngine();
        return decide(pool, deps, request, facts, newId('inv'));
      });
      return decided.kind === 'decided' ? open(registry, request, decided) : decided;
    },

    /**
     * The same for a call that a worker carries out, whose caller does not wait: `seal` prepares what the worker needs
     * and answers how to write it, which happens in the transaction that accepts the call.
     */
    async beginKept(
      request: InvokeRequest,
      seal: (invocationId: string) => Promise<(tx: Db) => Promise<void>>,
    ): Promise<KeptCall> {
      const newCallId = newId('inv');
      let keep: ((tx: Db) => Promise<void>) | undefined;
      const decided = await admit(deps, request, async (facts) => {
        keep ??= await seal(newCallId);
        return withTransaction(pool, async (tx) => {
          const result = await decide(tx, deps, request, facts, newCallId);
          if (result.outcome === 'accepted') await keep?.(tx);
          return result;
        });
      });
      if (decided.kind !== 'decided') return { kind: 'joined', invocationId: decided.invocationId };
      const { outcome, invocationId, priceUnits } = decided.result;
      if (outcome === 'replay' || outcome === 'attach') return { kind: 'joined', invocationId };
      if (outcome !== 'accepted') throw refusal(outcome, invocationId);
      return { kind: 'accepted', invocationId, version: decided.facts.version, priceUnits };
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

function open(registry: InvocationRegistry, request: InvokeRequest, { facts, result }: Decided): Accepted {
  const { version, tokensIn } = facts;
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
