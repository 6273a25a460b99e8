import type { InvocationOutcome, InvocationWorkflowInput } from '../domain/calls/invocation-steps';
import type { Details } from './details';
import { creditsText } from '../domain/ledger/money';

type Status = InvocationOutcome['status'];

const ENDED: Record<Status, string> = {
  succeeded: 'Succeeded: the hold was captured for the developer and the platform',
  failed: 'Failed: the buyer has the whole price back',
  disputed: 'Disputed while it ran: the buyer has the whole price back',
};
const FREE_ENDED: Record<Status, string> = {
  succeeded: 'Succeeded: a free call',
  failed: 'Failed: a free call',
  disputed: 'Disputed while it ran: a free call',
};

/** What an operator on call needs to know about a call. `outcome`: how it ended, once it has. */
export function callDetails(
  {
    invocationId,
    traceId,
    priceCredits,
  }: Pick<InvocationWorkflowInput, 'invocationId' | 'traceId' | 'priceCredits'>,
  outcome?: InvocationOutcome,
): Details {
  const isFree = priceCredits === 0;
  return {
    state: stateOf(isFree, outcome),
    credits: isFree ? ['none move: a free call'] : creditsOf(invocationId, priceCredits, outcome),
    operator: operatorOf(isFree, invocationId, outcome),
    api: [`GET /v1/invocations/${invocationId}`],
    trace: traceId,
  };
}

function operatorOf(isFree: boolean, invocationId: string, outcome?: InvocationOutcome): string[] {
  if (!outcome)
    return [
      'cancelling this workflow ends the call and refunds the buyer; terminating it leaves that to the sweep',
    ];
  return isFree ? [] : [`\`market ledger trace ${invocationId}\` lists each movement of the call`];
}

function stateOf(isFree: boolean, outcome?: InvocationOutcome): string {
  if (!outcome)
    return isFree
      ? 'Calls the agent and validates the answer'
      : 'Holds the price, calls the agent, validates the answer and settles';
  const state = (isFree ? FREE_ENDED : ENDED)[outcome.status];
  return outcome.code === undefined ? state : `${state} (${outcome.code})`;
}

/** The movements with their references in the ledger. A call of an earlier release does not say its price. */
function creditsOf(invocationId: string, priceCredits?: number, outcome?: InvocationOutcome): string[] {
  const reference = `invocation/${invocationId}`;
  const price = priceCredits === undefined ? '' : `: ${creditsText(priceCredits)}`;
  const hold = `wallet → escrow, \`${reference}/hold\`${price}`;
  if (!outcome) return [hold];
  if (outcome.status !== 'succeeded') return [hold, `escrow → wallet, \`${reference}/void\`${price}`];
  return [hold, `escrow → payable and fees, \`${reference}/capture\``];
}
