import { type ErrorCode, MarketError } from '../../domain/errors';
import { refusalMessage } from '../../domain/calls/refusal-message';
import { leastCostOf } from '../../domain/catalogue/pricing';
import { spentQuote } from '../../domain/prices/quote';
import { creditsToUnits, creditText, UNITS_PER_CREDIT } from '../../domain/ledger/money';
import { OverloadError } from '../../kit/concurrency/lanes';
import type {
  AcceptRefusal,
  AcceptResult,
  KeyRefusal,
  OwnRefusal,
  RuleRefusal,
} from '../../stores/calls/call-batches';
import { isDatabaseUnavailable } from '../../stores/db';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { MandateUse } from '../mandates/mandate-use';

const PAYMENT_OPEN =
  'A payment of this address is being settled. Its credits can be spent when that has ended; retry then.';

interface RefusedRequest {
  ceilingCredits: number | null;
  mandate?: MandateUse | undefined;
}

type Refused = Pick<AcceptResult, 'priceUnits' | 'refusal'> & {
  outcome: AcceptRefusal | OwnRefusal | KeyRefusal | RuleRefusal;
};

/** The refusals that a payment would have prevented. */
const UNPAID: ReadonlySet<string> = new Set([
  'insufficient_credits',
  'max_cost_exceeded',
  'credit_cap_exceeded',
  'budget_exceeded',
  'mandate_exceeded',
]);

/** The error for a call that the database refused, with its price and with what is left to pay it. */
export function refusalOf(
  { outcome: code, priceUnits, refusal }: Refused,
  request: RefusedRequest,
  version: ServingVersion,
  tokensIn: number | null,
): MarketError {
  if (code === 'wallet_frozen')
    return new MarketError('forbidden', {
      message:
        'The wallet that pays for this call is frozen: by an operator, or until top-ups have paid the debt of a payment that was taken back. `wallet_frozen` of GET /v1/auth/security says to its owner which.',
    });
  if (code === 'payment_open')
    return new MarketError('concurrency_limited', { message: PAYMENT_OPEN, retryAfterSeconds: 5 });
  if (code === 'agent_busy') return busy(version);
  if (code === 'quote_over' || code === 'quote_used') return spentQuote(code);
  if (code === 'key_price' || code === 'key_trust' || code === 'key_agent')
    return beyondLimit(code, version, priceUnits, refusal?.left_units ?? 0);
  if (code === 'concurrency_limited' && version.jobs) return fullOfJobs();
  const isForeignWallet = paysForAnother(request);
  if (code === 'org_trust' || code === 'org_agent') return againstRule(code, version, isForeignWallet);
  const neededUnits = Math.max(priceUnits, creditsToUnits(leastCostOf(version.terms, tokensIn ?? 0)));
  return new MarketError(code, {
    message: refusalMessage({
      code,
      neededUnits,
      leftUnits: refusal?.left_units ?? null,
      window: refusal?.budget,
      ceilingCredits: request.ceilingCredits,
      isMetered: version.terms.model !== 'per_call',
      isForeignWallet,
      reason: refusal?.reason ?? (code === 'mandate_exceeded' ? 'per_call' : undefined),
    }),
    ...(UNPAID.has(code) && {
      payment: {
        agentId: version.agentId,
        displayName: version.displayName,
        creditsNeeded: Math.ceil(neededUnits / UNITS_PER_CREDIT),
        timeoutMs: version.timeoutMs,
        x402: version.x402,
      },
    }),
    ...(code === 'concurrency_limited' ? { retryAfterSeconds: 1 } : {}),
  });
}

/** Whether a mandate of another account pays. */
const paysForAnother = ({ mandate }: RefusedRequest): boolean =>
  mandate !== undefined && mandate.item.caller_user_id !== mandate.issuerUserId;

/** A cost above the mandate's ceiling need not exceed the caller's own. */
export function byMandate(
  { ceilingCredits, maxCostCredits }: { ceilingCredits: number | null; maxCostCredits: number | null },
  result: AcceptResult,
): AcceptResult {
  const isOverMandate = result.outcome === 'max_cost_exceeded' && ceilingCredits !== maxCostCredits;
  return isOverMandate ? { ...result, outcome: 'mandate_exceeded' } : result;
}

/** The owner of the account has not permitted such a call to the API key, or the application that is connected. */
function beyondLimit(
  limit: KeyRefusal,
  { displayName, agentId }: ServingVersion,
  priceUnits: number,
  mostUnits: number,
): MarketError {
  const limits = {
    key_price: `This call holds ${creditText(priceUnits)}, and the API key or connected application may pay at most ${creditText(mostUnits)} for a call. A lower max_cost_credits makes a metered call hold less.`,
    key_trust: `${displayName} has a lower trust score than the API key or connected application may call.`,
    key_agent: `${agentId} is not among the agents that the API key or connected application may call.`,
  };
  return new MarketError('forbidden', {
    message: `${limits[limit]} The owner of the account can change this: market api-keys change, market grants change, or Keys in the console.`,
  });
}

/** The organisation that pays does not permit calls of the agent. Its rules are not for callers under its mandates. */
function againstRule(
  rule: RuleRefusal,
  { displayName, agentId }: ServingVersion,
  isForeignWallet: boolean,
): MarketError {
  if (isForeignWallet)
    return new MarketError('forbidden', {
      message: `The issuer of the mandate permits no calls of ${agentId}.`,
    });
  const rules = {
    org_trust: `${displayName} has a lower trust score than your organisation permits for all of its calls.`,
    org_agent: `${agentId} is not among the agents and developers that your organisation permits.`,
  };
  return new MarketError('forbidden', {
    message: `${rules[rule]} Its owners, admins and finance can change this: PATCH /v1/organisations/{org_id}/rules, or market orgs set-rules.`,
  });
}

/** The agent has as many calls in flight as it takes at once. */
function busy({ maxConcurrency }: ServingVersion): MarketError {
  const calls = maxConcurrency === 1 ? 'one call' : `${maxConcurrency ?? 0} calls`;
  const message = `This agent takes ${calls} at once, and has them. Wait and retry.`;
  return new MarketError('concurrency_limited', { message, retryAfterSeconds: 1 });
}

/** The buyer or the agent has as many calls or jobs as the limits allow. Jobs end less often than calls. */
function fullOfJobs(): MarketError {
  const message =
    'Too many calls or jobs of your account or of this agent are running. Retry when one of them has ended.';
  return new MarketError('concurrency_limited', { message, retryAfterSeconds: 10 });
}

/** The code with which a thrown value ends a call, as the caller is answered; the metrics count it. */
export function errorCodeOf(error: unknown): ErrorCode {
  if (error instanceof MarketError) return error.code;
  if (error instanceof OverloadError) return 'overloaded';
  return isDatabaseUnavailable(error) ? 'not_ready' : 'internal_error';
}
