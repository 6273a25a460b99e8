/** Builds the request of a call for every surface (invoke, chat, use, MCP, A2A). */
import type { PresentedMandate } from '../../domain/mandates/mandate';
import type { InvokeRequest } from '../../services/calls/invocations';
import { ceilingOf, type MandateUse, payerOf } from '../../services/mandates/mandate-use';
import type { Mandates } from '../../services/mandates/mandates';
import type { Principal } from '../identity/principal';

/** A client's call, in terms that all surfaces share. */
export interface CallOrder extends Pick<
  InvokeRequest,
  'agentId' | 'surface' | 'input' | 'maxCostCredits' | 'traceId' | 'hops' | 'gone' | 'sink'
> {
  /** The authenticated caller. The payer is the issuer of the mandate, if there is one. */
  principal: Principal;
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
export async function mandateUseOf(
  mandates: Pick<Mandates, 'vet'>,
  { mandate, agentId, principal, idempotencyKey, canonicalInput }: CallOrder,
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
export function callRequestOf(order: CallOrder, mandateUse: MandateUse | undefined): InvokeRequest {
  const { principal, idempotencyKey, defaultKey, mandate: _verified, canonicalInput: _used, ...call } = order;
  return {
    ...call,
    ...payerOf(principal, mandateUse),
    ceilingCredits: ceilingOf(order.maxCostCredits, mandateUse),
    idempotencyKey: idempotencyKey === undefined ? (defaultKey ?? null) : `k:${idempotencyKey}`,
  };
}

/** Verifies the mandate and builds the request. */
export async function admittedCallOf(
  mandates: Pick<Mandates, 'vet'>,
  order: CallOrder,
): Promise<InvokeRequest> {
  return callRequestOf(order, await mandateUseOf(mandates, order));
}
