/** What the refusals of a call with status 402 or 403 say: the price, what is left to pay it, and what to do next. */
import type { ErrorCode } from '../errors';
import { creditText } from '../ledger/money';
import { mandateRefusal, type MandateReason } from '../mandates/mandate-refusal';

export interface RefusedCall {
  code: ErrorCode;
  /** Units that the call must hold, or its least cost if that exceeds the ceiling. */
  neededUnits: number;
  /** Units left of the wallet, the key's cap or the mandate's budget; null if unknown. */
  leftUnits: number | null;
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
    return `This call needs ${needed}; the API key or the connected application has ${left ?? '0 credits'} left of its credit cap. Create a key with a higher cap (POST /v1/keys), or connect the application again with one.`;
  }
  if (code === 'max_cost_exceeded') {
    return `This call costs ${call.isMetered ? 'at least ' : ''}${needed}, more than max_cost_credits (${call.ceilingCredits ?? 0}). Raise max_cost_credits, or leave it out.`;
  }
  return call.reason && mandateRefusal(call.reason, needed, left);
}

function walletMessage(call: RefusedCall, needed: string, left: string | null): string {
  if (call.isForeignWallet) {
    return `This call needs ${needed}; the wallet of the mandate's issuer holds too few. The issuer must top it up.`;
  }
  const missing = creditText(call.neededUnits - Math.max(0, call.leftUnits ?? 0));
  const less = call.isMetered ? ' A lower max_cost_credits makes the call hold less.' : '';
  return `This call needs ${needed}; the wallet has ${left ?? '0 credits'} available. Top up at least ${missing} (POST /v1/billing/topup), then repeat the call.${less}`;
}
