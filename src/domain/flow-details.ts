/**
 * The text about each kind of workflow on its page in Temporal's UI ("Details", in Markdown). It is set once, at the
 * start of the workflow; "Current Details" show the state of the workflow.
 */
const CALL_MOVES =
  'holds its price (wallet → escrow), calls the agent, and captures the charge (escrow → payable and fees) or returns the price (escrow → wallet)';

/** Constants, so that they cost a call next to nothing. A free call moves nothing. */
export const CALL_DETAILS = `A call: it ${CALL_MOVES}. A free call moves nothing.`;
export const GROUP_DETAILS = `Calls that were accepted at the same moment. Each ${CALL_MOVES}. A free call moves nothing.`;

export function verificationDetails(agentId: string, everyDays: number): string {
  return (
    `Verifies \`${agentId}\`, one run after the other: when a version is submitted, when the owner asks, when an advisory names ` +
    `one of its packages, when its answers change, and ${everyDays} days after the last run. Moves no credits.`
  );
}

export function verificationRunDetails(agentId: string, runId: string, reason: string): string {
  return (
    `Run \`${runId}\` of \`${agentId}\` (${reason}): gathers evidence, scores it by the rubric, and decides whether the ` +
    'version goes live. Moves no credits.'
  );
}

const PAYOUT_MOVES =
  'payable → payout clearing, `payout/<payout>/reserve`, then → cash, `payout/<payout>/paid`';

export const MONDAY_DETAILS =
  "Reserves each developer's matured earnings as of a Monday, writes one file for each bank, and starts the transfers " +
  `in USDC. Credits: ${PAYOUT_MOVES}.`;

/** The share of one developer in the payouts of a Monday (ISO time). */
export function shareDetails(developerUserId: string, asOf: string): { summary: string; details: string } {
  return {
    summary: `${developerUserId}, Monday ${asOf.slice(0, 10)}`,
    details:
      `Reserves what \`${developerUserId}\` had earned and what had matured by ${asOf}: payable → payout clearing, ` +
      '`payout/<payout>/reserve`.',
  };
}

/** The transfers in USDC of a Monday (ISO time). */
export function transfersDetails(asOf: string): { summary: string; details: string } {
  return {
    summary: `USDC, Monday ${asOf.slice(0, 10)}`,
    details:
      `Sends the transfers in USDC of the Monday ${asOf}, and records what the chain decided: payout clearing → cash, ` +
      '`payout/<payout>/paid`.',
  };
}

export const RETENTION_DETAILS = 'Deletes stored answers whose time has ended. Moves no credits.';
export const ADVISORIES_DETAILS =
  'Imports records of vulnerable packages, and requests verifications of the agents that use them. Moves no credits.';
export const RATES_DETAILS =
  'Fetches the exchange rate from USD to INR, without which payouts in rupees roll over. Moves no credits.';

export const WARRANTIES_DETAILS =
  'Compares the calls of the past month with the warranties of agents. A broken one takes its remedy from the bond, ' +
  'by a slash of its own workflow.';

export function rolloutDetails(version: string, commentEndsAt: string): string {
  return `Rubric \`${version}\`: comments are open until ${commentEndsAt}. Then every agent is verified by it. Moves no credits.`;
}

export function deliveryDetails(eventId: string, endpointId: string): string {
  return (
    `Sends the event \`${eventId}\` to the webhook \`${endpointId}\`, again with growing pauses until it is received. ` +
    'Moves no credits.'
  );
}
