/** What the refusals of a call with status 402 or 403 say: the price, what is left to pay it, and what to do next. */
import type { ErrorCode } from '../errors';
import { creditText } from '../ledger/money';
import { mandateRefusal, type MandateReason } from '../mandates/mandate-refusal';

/** What a budget counts, and when it begins anew. */
export interface CapWindowFacts {
  window: string;
  /** ISO 8601; undefined for a lifetime. */
  ends_at?: string;
  /** Of a budget of the account. */
  budget_id?: string;
  /** Undefined for a budget of all calls. */
  tag?: string;
  cap_units?: number;
  /** The names of the member whose budget it is, and of the organisation. */
  member?: string;
  organisation?: string;
}

export interface RefusedCall {
  code: ErrorCode;
  /** Units that the call must hold, or its least cost if that exceeds the ceiling. */
  neededUnits: number;
  /** Units left of the wallet, the key's cap or the mandate's budget; null if unknown. */
  leftUnits: number | null;
  /** The window of the cap that refuses; undefined for one over a lifetime. */
  window?: CapWindowFacts | undefined;
  /** The caller's ceiling in credits; null without one. */
  ceilingCredits: number | null;
  /** True if a lower ceiling makes the call hold less. */
  isMetered: boolean;
  /** True if a mandate of another account pays. Its balance is not for the caller. */
  isForeignWallet: boolean;
  reason?: MandateReason | undefined;
}

/** The message of a refusal; undefined if the code's own message says everything. */
export function refusalMessage(call: RefusedCall): string | undefined {
  const needed = creditText(call.neededUnits);
  const left = call.leftUnits === null ? null : creditText(Math.max(0, call.leftUnits));
  const { code } = call;
  if (code === 'insufficient_credits') return walletMessage(call, needed, left);
  if (code === 'credit_cap_exceeded') {
    return `This call needs ${needed}; the API key or the connected application has ${left ?? '0 credits'} left of its credit cap${untilWhen(call.window)}. Raise the cap (PATCH /v1/keys/{key_id}, or market grants change for an application).`;
  }
  if (code === 'budget_exceeded') return budgetMessage(call, needed, left);
  if (code === 'max_cost_exceeded') {
    return `This call costs ${call.isMetered ? 'at least ' : ''}${needed}, more than max_cost_credits (${call.ceilingCredits ?? 0}). Raise max_cost_credits, or leave it out.`;
  }
  return call.reason && mandateRefusal(call.reason, needed, left);
}

/** Which budget refuses, and until when. That of the issuer of a mandate is not for the caller. */
function budgetMessage(
  { window: facts, isForeignWallet }: RefusedCall,
  needed: string,
  left: string | null,
): string {
  if (isForeignWallet || !facts)
    return `This call needs ${needed}; a budget of the mandate's issuer has too little left. The issuer can raise it.`;
  if (facts.member !== undefined) return memberMessage(facts, needed, left);
  const whose = facts.tag === undefined ? 'of the account' : facts.tag;
  const size = creditText(facts.cap_units ?? 0);
  return `This call needs ${needed}; the budget ${whose} (${facts.budget_id}, ${size} ${eachOf(facts)}) has ${left ?? '0 credits'} left${untilWhen(facts)}. Raise it (PATCH /v1/billing/budgets/{budget_id}, or market budgets change), or wait until it begins anew.`;
}

/** The budget of a member of an organisation. */
function memberMessage(facts: CapWindowFacts, needed: string, left: string | null): string {
  const size = creditText(facts.cap_units ?? 0);
  return `This call needs ${needed}; the budget of ${facts.member} in ${facts.organisation ?? 'the organisation'} (${size} ${eachOf(facts)}) has ${left ?? '0 credits'} left${untilWhen(facts)}. An owner, an admin or finance can raise it (PUT /v1/organisations/{org_id}/members/{user_id}/budget, or market orgs set-budget), or wait until it begins anew.`;
}

const eachOf = ({ ends_at: end, window }: CapWindowFacts) => (end === undefined ? 'in total' : `a ${window}`);

/** The window of a cap and its end: ` for this day, until 2026-11-28T00:00:00.000Z`; empty for a lifetime. */
export function untilWhen(facts: CapWindowFacts | undefined): string {
  if (facts?.ends_at === undefined) return '';
  return ` for this ${facts.window}, until ${new Date(facts.ends_at).toISOString()}`;
}

function walletMessage(call: RefusedCall, needed: string, left: string | null): string {
  if (call.isForeignWallet) {
    return `This call needs ${needed}; the wallet of the mandate's issuer holds too few. The issuer must top it up.`;
  }
  const missing = creditText(call.neededUnits - Math.max(0, call.leftUnits ?? 0));
  const less = call.isMetered ? ' A lower max_cost_credits makes the call hold less.' : '';
  return `This call needs ${needed}; the wallet has ${left ?? '0 credits'} available. Top up at least ${missing} (POST /v1/billing/topup), then repeat the call.${less}`;
}
