/**
 * Calls of callers without credentials, who pay for them by x402 (docs/pay-per-call.md). The price is asked and the
 * payment read before the body is, from path and headers alone.
 */
import type { Request, Response } from 'express';
import { MarketError } from '../../domain/errors';
import { clientNetwork } from '../../kit/client-address';
import type { CompletedCall, InvokeEngine } from '../../engine/invoke';
import type { ServingVersion, ServingVersions } from '../../services/catalogue/serving-version-cache';
import { type ClientCall, callRequestOf, type InvokeRequest } from '../../services/calls/invocations';
import type { PaidCalls, PresentedCall } from '../../services/x402/paid-calls';
import type { PricedCall } from '../../services/x402/payment-answers';
import { answerCall } from '../answers/answer-call';
import { HANDLED } from '../answers/answer';
import { setX402Header } from '../answers/errors';
import { contextOf } from '../identity/context';
import { maxCostOf } from '../requests/request-fields';
import type { PayerSignIns, SignedInPayer } from '../../services/x402/payer-sign-ins';
import { readX402Header } from './header';
import { signedInPayer } from './sign-in';

/** What a visitor pays with: a payment for this call, or credits that earlier payments left. */
type Visit = { call: PresentedCall } | { payer: SignedInPayer };

const visits = new WeakMap<Request, Visit>();

export interface VisitorDeps {
  paidCalls: PaidCalls;
  payerSignIns: PayerSignIns;
  /** The public address of the marketplace. */
  config: { PUBLIC_ORIGIN: string };
}

/**
 * Reads the payment of a request; `visit` of the handler then makes the call. Throws `payment_required` with what to
 * pay, `payment_invalid`, `invalid_header`, and `not_authenticated` for agents whose calls cannot be paid so.
 */
async function readVisit(
  { paidCalls, payerSignIns, config }: VisitorDeps,
  req: Request,
  { version, isWrapped }: { version: ServingVersion; isWrapped: boolean },
): Promise<void> {
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  const [path = ''] = req.originalUrl.split('?');
  const resource = { url: `${origin}${path}`, isWrapped };
  const call = priceOf(paidCalls, version, resource, maxCostOf(req, undefined));
  const payment = readX402Header(req, 'PAYMENT-SIGNATURE');
  if (payment === undefined && req.get('sign-in-with-x') !== undefined) {
    visits.set(req, { payer: await signedInPayer(payerSignIns, req) });
    return;
  }
  if (payment === undefined) throw askPayment(paidCalls, req, call);
  visits.set(req, { call: paidCalls.read(call, payment) });
}

/** The price of a call. Throws `not_authenticated` for agents whose calls cannot be paid by x402. */
export function priceOf(
  paidCalls: PaidCalls,
  version: ServingVersion,
  resource: PricedCall['resource'],
  ceiling: number | null,
): PricedCall {
  const call = paidCalls.price(version, resource, ceiling);
  if (!call) throw new MarketError('not_authenticated');
  return call;
}

/** The resource of a call by another protocol: `POST /v1/agents/{agent_id}/invoke`. */
export const invokeResource = (origin: string, { agentId }: ServingVersion): PricedCall['resource'] => ({
  url: `${origin}/v1/agents/${agentId}/invoke`,
  isWrapped: true,
});

/** The refusal that asks for the payment of a call. It does not count as a refusal of its caller. */
export function askPayment(paidCalls: PaidCalls, req: Request, call: PricedCall): MarketError {
  contextOf(req).asksPayment = true;
  return paidCalls.asked(call);
}

/** The gate of visitors for the operation with an `agent_id` in its path. */
export const agentVisits =
  (deps: VisitorDeps & { servingVersions: Pick<ServingVersions, 'ofAgent'> }) =>
  async ({ params, req }: { params: { agent_id: string }; req: Request }): Promise<void> =>
    readVisit(deps, req, {
      version: await deps.servingVersions.ofAgent(params.agent_id, undefined),
      isWrapped: true,
    });

/** The gate of visitors for the operation with `owner` and `slug` in its path. */
export const slugVisits =
  (deps: VisitorDeps & { servingVersions: Pick<ServingVersions, 'ofOwner'> }) =>
  async ({ params, req }: { params: { owner: string; slug: string }; req: Request }): Promise<void> =>
    readVisit(deps, req, {
      version: await deps.servingVersions.ofOwner(params.owner, params.slug, undefined),
      isWrapped: false,
    });

/** A call as a visitor may make it: without a mandate and a quote, which belong to accounts. */
export type VisitorCall = Omit<ClientCall, 'principal' | 'mandate' | 'quote' | 'canonicalInput'>;

/** Throws `validation_failed` for fields that only a call of an account has. */
export function refuseOfAccounts(fields: Readonly<Record<string, unknown>>): void {
  const named = Object.keys(fields).filter((name) => fields[name] !== undefined);
  if (named.length === 0) return;
  const msg = 'belongs to an account: leave it out of a call that is paid by x402';
  throw new MarketError('validation_failed', {
    detail: named.map((name) => ({ loc: ['body', name], msg, type: 'x402' })),
  });
}

export interface VisitDeps {
  paidCalls: PaidCalls;
  engine: Pick<InvokeEngine, 'invoke'>;
}

/**
 * Verifies the payment of a call and makes it. Returns the receipt, unless the call cost nothing. Throws the refusals
 * and failures of the call, each with the headers of x402. A call that fails settles nothing.
 */
export async function payAndInvoke(
  { paidCalls, engine }: VisitDeps,
  visit: PresentedCall,
  req: Request,
  call: VisitorCall,
): Promise<{ call: CompletedCall; receipt: Record<string, unknown> | undefined }> {
  const { input, traceId } = call;
  const paid = await paidCalls.verify(visit, { input, traceId, network: clientNetwork(req.ip) });
  const request = requestOf({ ...call, defaultKey: paid.defaultKey }, paid.userId);
  const most = Math.min(request.ceilingCredits ?? paid.credits, paid.credits);
  const ceiling = { maxCostCredits: most, ceilingCredits: most };
  let completed: CompletedCall;
  try {
    completed = await engine.invoke({ ...request, ...ceiling, payer: { payment: paid.payment } });
  } catch (error) {
    throw await paidCalls.failed(visit, paid, error);
  }
  return { call: completed, receipt: await paidCalls.receipt(completed.invocationId) };
}

/** Makes the call of a visitor, by the payment or the credits that `readVisit` read, and answers it. */
export async function answerVisit(
  deps: VisitDeps,
  { req, res }: { req: Request; res: Response },
  call: VisitorCall,
): Promise<typeof HANDLED> {
  const visit = visits.get(req);
  if (!visit) throw new MarketError('not_authenticated');
  if ('payer' in visit) {
    answerCall(res, await deps.engine.invoke({ ...requestOf(call, visit.payer.userId), payer: {} }));
    return HANDLED;
  }
  const { call: completed, receipt } = await payAndInvoke(deps, visit.call, req, call);
  if (receipt) setX402Header(res, 'PAYMENT-RESPONSE', receipt);
  answerCall(res, completed);
  return HANDLED;
}

/** The call of the account of a paying address. */
function requestOf(call: VisitorCall, userId: string): InvokeRequest {
  const principal = { userId, keepsBodies: false, key: null };
  return callRequestOf({ ...call, principal, mandate: undefined, canonicalInput: () => '' }, undefined);
}
