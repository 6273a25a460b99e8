import type {
  DisputeCaseInput,
  DisputeCaseState,
  DisputeOffer,
  DisputeResponse,
  DisputeRuling,
  OfferAnswer,
} from '../domain/disputes/dispute-case';
import type { DisputeStatus } from '../domain/disputes/dispute-state';
import { type Details, isoTime, type Next, nextOf, show } from './details';
import { creditsText, creditText } from '../domain/ledger/money';

/** A decision in a case, and how the page of the workflow names it. */
export interface Move {
  to: DisputeStatus;
  /** What was decided and by whom. */
  words: string;
  /** The part of the charge that it returns, in units; absent for all of it. */
  partUnits?: number;
}

export const SILENCE: Move = {
  to: 'accepted',
  words: 'accepted, because the developer did not respond in time',
};

export function responseMove({ decision, offer }: DisputeResponse): Move {
  if (decision === 'accept') return { to: 'accepted', words: 'accepted by the developer' };
  const offered = offer ? `, who offers to return ${creditText(offer.units)}` : '';
  return { to: 'contested', words: `contested by the developer${offered}` };
}

export function rulingMove({ decision, operatorUserId, partUnits }: DisputeRuling): Move {
  const part = partUnits === undefined ? {} : { partUnits };
  const amount = partUnits === undefined ? '' : `, ${creditText(partUnits)} of the charge`;
  return {
    to: decision === 'buyer' ? 'won' : 'lost',
    words: `for the ${decision}${amount}, by the operator \`${operatorUserId}\``,
    ...part,
  };
}

export function offerMove({ units }: DisputeOffer): Move {
  return { to: 'contested', words: `${creditText(units)} offered by the developer` };
}

export function offerAnswerMove({ decision, units }: OfferAnswer): Move {
  return decision === 'accept'
    ? { to: 'accepted', words: `offer of ${creditText(units)} accepted by the buyer`, partUnits: units }
    : { to: 'contested', words: `offer of ${creditText(units)} declined by the buyer` };
}

/**
 * Shows an operator on call the dispute in its state, on the page of its workflow. `decided`: the moves so far, each
 * with its time.
 */
export function showDispute(
  input: DisputeCaseInput,
  state: DisputeCaseState,
  decided: readonly string[],
): void {
  show(disputeDetails(input, state, decided));
}

/** The details of a dispute in its state. A case that an earlier release started has no id of its call. */
export function disputeDetails(
  { disputeId, invocationId, chargedCredits }: DisputeCaseInput,
  { status, respondByMs, partUnits }: DisputeCaseState,
  decided: readonly string[],
): Details {
  const { operator = [], ...details } = detailsOf(disputeId, status, respondByMs);
  const read = `\`market disputes show ${disputeId} --all\` prints the reason, the statement and what the buyer attached`;
  const trace =
    invocationId === undefined
      ? []
      : [`\`market ledger trace ${invocationId}\` lists each movement of the call`];
  return {
    ...details,
    decided,
    credits: creditsOf({ status, partUnits }, invocationId, chargedCredits),
    operator: [read, ...operator, ...trace],
    api: [
      `GET /v1/operator/disputes/${disputeId}`,
      ...(invocationId === undefined ? [] : [`GET /v1/invocations/${invocationId}`]),
    ],
  };
}

/** Answer of the query `state`: the dispute with its time in ISO form, and what comes next. */
export function describeDispute({ disputeId }: DisputeCaseInput, state: DisputeCaseState): DisputeAnswer {
  const { status, respondByMs } = state;
  const details = detailsOf(disputeId, status, respondByMs);
  return { ...state, respondBy: isoTime(respondByMs), ...nextOf(details) };
}

export interface DisputeAnswer extends DisputeCaseState, Next {
  respondBy: string;
}

function detailsOf(disputeId: string, status: DisputeStatus, respondByMs: number): Details {
  switch (status) {
    case 'open':
      return {
        state: 'Waits for the response of the developer, who may accept or contest',
        untilMs: respondByMs,
        then: 'silence counts as acceptance, and the buyer is refunded',
        operator: ['nothing to decide before the developer contests'],
      };
    case 'contested':
      return {
        state:
          'Contested: waits for the decision of an operator, or for an offer that the buyer accepts, without a deadline',
        operator: [
          `\`market disputes resolve ${disputeId} buyer --reason …\` refunds the buyer, with \`--credits …\` a part`,
          `\`market disputes resolve ${disputeId} developer --reason …\` leaves the charge as it is`,
        ],
      };
    case 'accepted':
      return { state: 'Accepted: the buyer is refunded' };
    case 'won':
      return { state: 'Decided for the buyer, who is refunded' };
    case 'lost':
      return { state: 'Decided for the developer: the charge stays' };
  }
}

/**
 * The movement of credits that the case brings, has brought or has not brought. A slash may have returned a part of
 * the charge before (ADR 0157).
 */
function creditsOf(
  { status, partUnits }: { status: DisputeStatus; partUnits: number | undefined },
  invocationId = '<invocation>',
  charged?: number,
): string[] {
  const whole = charged === undefined ? '' : `: ${creditsText(charged)}, less what a slash returned before`;
  const amount = partUnits === undefined ? whole : `: at most ${creditText(partUnits)}, a part of the charge`;
  const clawback = `payable of the developer and fees → wallet of the buyer, \`invocation/${invocationId}/clawback\`${amount}`;
  const charge = `the charge \`invocation/${invocationId}/capture\`${charged === undefined ? '' : ` of ${creditsText(charged)}`}`;
  if (status === 'lost') return [`none moved: ${charge} stays, and the earning matures`];
  if (status === 'open' || status === 'contested')
    return [`the earning of the call is not paid out meanwhile`, `if the buyer wins: ${clawback}`];
  return [clawback];
}
