import type { SlashState, TopUpOutcome } from '../domain/bonds/slash';
import { type Details, isoTime, type Next, nextOf, show } from './details';

/**
 * Shows an operator on call the slash in its state, on the page of its workflow. `decided`: the moves so far, each with
 * its time; `topUp`: how the time to top up the bond ended, once it has.
 */
export function showSlash(
  slashId: string,
  state: SlashState,
  decided: readonly string[],
  topUp?: TopUpOutcome,
): void {
  const { operator = [], credits = [], ...details } = detailsOf(slashId, state, topUp);
  const read = `\`market slashes show ${slashId}\` prints the explanation, the evidence and the counter-argument`;
  show({
    ...details,
    decided,
    credits: [`bond → slash hold, \`slash/${slashId}/apply\``, ...credits],
    operator: [read, ...operator],
    api: [`GET /v1/operator/slashes/${slashId}`],
  });
}

/** Answer of the query `state`: the slash with its times in ISO form, and what comes next. */
export function describeSlash(slashId: string, state: SlashState, topUp?: TopUpOutcome): SlashAnswer {
  const { counterByMs, topUpByMs } = state;
  return {
    ...state,
    counterBy: isoTime(counterByMs),
    topUpBy: topUpByMs === null ? null : isoTime(topUpByMs),
    ...nextOf(detailsOf(slashId, state, topUp)),
  };
}

export interface SlashAnswer extends SlashState, Next {
  counterBy: string;
  topUpBy: string | null;
}

function detailsOf(
  slashId: string,
  { status, counterByMs, topUpByMs }: SlashState,
  topUp?: TopUpOutcome,
): Details {
  const overturn = `\`market slashes resolve ${slashId} overturned --reason …\` returns the credits to the bond`;
  const uphold = `\`market slashes resolve ${slashId} upheld --reason …\` makes it final: the buyers are refunded, or the platform keeps a penalty`;
  switch (status) {
    case 'applied':
      return {
        state: 'Waits for the developer, who may contest the slash',
        untilMs: counterByMs,
        then: 'the slash is final, and the credits in the slash hold refund the buyers, or are a penalty',
        operator: [overturn],
      };
    case 'contested':
      return {
        state: 'Contested: waits for the decision of an operator, without a deadline',
        operator: [uphold, overturn],
      };
    case 'overturned':
      return {
        state: 'Overturned: the credits are back in the bond',
        credits: [`slash hold → bond, \`slash/${slashId}/return\``],
      };
    case 'final':
      return {
        ...topUpOf(topUpByMs, topUp),
        credits: [
          `slash hold → wallets of the buyers, \`slash/${slashId}/refund/inv_…\``,
          `what the buyers had back otherwise: slash hold → bond, \`slash/${slashId}/return\``,
          `a slash with \`refund: none\`: slash hold → platform, \`slash/${slashId}/penalty\``,
        ],
      };
  }
}

/** The state of a final slash: it may have left the bond below the minimum of its tier. */
function topUpOf(
  topUpByMs: number | null,
  topUp?: TopUpOutcome,
): Pick<Details, 'state' | 'untilMs' | 'then'> {
  if (topUp === 'topped_up') return { state: 'Final: the bond was topped up in time' };
  if (topUp === 'delisted')
    return {
      state: 'Final: the bond stayed below the minimum of its tier, so the agents left search',
      then: 'the agents return to search when the developer deposits what is missing',
    };
  if (topUpByMs === null) return { state: 'Final' };
  return {
    state: 'Final: waits for the developer to top up the bond',
    untilMs: topUpByMs,
    then: "the developer's agents leave search if the bond is still too low",
  };
}
