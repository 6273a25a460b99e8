import { creditText, unitsToCredits } from '../domain/ledger/money';
import type { SlashDecision, SlashStatus } from '../domain/bonds/slash';
import { type BondRequest, type Bonds, type Withdrawal, withdrawalInputOf } from '../services/bonds/bonds';
import { type Slash, type Slashes, slashInputOf, type SlashRequest } from '../services/bonds/slashes';
import type { bondWithdrawal } from '../workflows/bond-withdrawal';
import type { slashBond } from '../workflows/slash-bond';
import { type CasesDeps, createCases } from './cases';
import { AGENT_ID } from './start-invocation';
import { eachPart } from './turn-parts';

export interface BondCasesDeps extends CasesDeps {
  bonds: Pick<Bonds, 'withdraw' | 'markStarted' | 'claimUnconfirmed'>;
  slashes: Pick<
    Slashes,
    'apply' | 'read' | 'prepareCounter' | 'prepareRuling' | 'markStarted' | 'claimUnconfirmed'
  >;
}

/** A developer's counter-argument to a slash. */
export interface CounterRequest {
  userId: string;
  slashId: string;
  statement: string;
  evidence: unknown;
}

/** An operator's decision about a slash. */
export interface SlashRulingRequest {
  operatorUserId: string;
  slashId: string;
  decision: SlashDecision;
  reason: string;
}

/** Starts and updates the workflows `slash/<id>` and `bond-withdrawal/<id>`, for the API and the worker's sweep. */
export function createBondCases({ bonds, slashes, ...deps }: BondCasesDeps) {
  const slashCases = createCases<Slash>(deps, {
    noun: 'slash',
    workflowOf: (slash) => ({
      type: 'slashBond',
      workflowId: `slash/${slash.slashId}`,
      args: [slashInputOf(slash)] satisfies Parameters<typeof slashBond>,
      staticSummary: `${slash.agentId}: slash of ${creditText(slash.amountUnits)}`,
      staticDetails: slashDetails(slash),
      typedSearchAttributes: [{ key: AGENT_ID, value: slash.agentId }],
    }),
    markStarted: ({ slashId }) => slashes.markStarted(slashId),
    claimUnconfirmed: slashes.claimUnconfirmed,
  });
  const withdrawals = createCases<Withdrawal>(deps, {
    noun: 'withdrawal',
    workflowOf: (withdrawal) => ({
      type: 'bondWithdrawal',
      workflowId: `bond-withdrawal/${withdrawal.withdrawalId}`,
      args: [withdrawalInputOf(withdrawal)] satisfies Parameters<typeof bondWithdrawal>,
      staticSummary: `${creditText(withdrawal.requestedUnits)} for ${withdrawal.developerUserId}`,
      staticDetails: withdrawalDetails(withdrawal),
    }),
    markStarted: ({ withdrawalId }) => bonds.markStarted(withdrawalId),
    claimUnconfirmed: bonds.claimUnconfirmed,
  });

  return {
    /** Applies a slash and starts its workflow. Repeating the operator's idempotency key starts nothing. */
    async applySlash(request: SlashRequest): Promise<{ slash: Slash; replayed: boolean }> {
      const applied = await slashes.apply(request);
      if (!applied.replayed) await slashCases.start(applied.slash);
      return applied;
    },

    /** Starts the notice period of a withdrawal, and its workflow. */
    async withdraw(request: BondRequest): Promise<Withdrawal> {
      const withdrawal = await bonds.withdraw(request);
      await withdrawals.start(withdrawal);
      return withdrawal;
    },

    /** Starts the workflows that are missing. Slashes that cannot be read do not hold up withdrawals. */
    sweep: (): Promise<void> => eachPart(slashCases.sweep, withdrawals.sweep),

    /**
     * Contests a slash and returns its new state. Throws `not_found`, `invalid_state`, or `engine_unavailable` if the
     * engine does not answer in time (`createCases`).
     */
    async counter({ userId, slashId, statement, evidence }: CounterRequest): Promise<Slash> {
      const { slash, textId } = await slashes.prepareCounter(userId, slashId, statement, evidence);
      const text = `${statement}\n${JSON.stringify(evidence)}`;
      await slashCases.ask<SlashStatus>(slash, { name: 'counter', move: { textId }, text });
      return slashes.read(slashId);
    },

    /** Decides about a slash and returns its new state. Throws as `counter` does. */
    async resolve({ operatorUserId, slashId, decision, reason }: SlashRulingRequest): Promise<Slash> {
      const { slash, textId } = await slashes.prepareRuling(operatorUserId, slashId, decision, reason);
      const move = { decision, textId, operatorUserId };
      await slashCases.ask<SlashStatus>(slash, { name: 'resolve', move, text: `${decision}\n${reason}` });
      return slashes.read(slashId);
    },
  };
}

export type BondCases = ReturnType<typeof createBondCases>;

/** Facts that never change, for the page of the workflow. Texts that people wrote stay in the database. */
function slashDetails({
  slashId,
  agentId,
  developerUserId,
  amountUnits,
  requestedUnits,
  refund,
  calls,
  appliedBy,
  appliedAt,
}: Slash): string {
  const [credits, requested] = [unitsToCredits(amountUnits), unitsToCredits(requestedUnits)];
  return [
    `Slash \`${slashId}\` of agent \`${agentId}\`, ordered by \`${appliedBy}\` at ${appliedAt.toISOString()}.`,
    '',
    `- **Credits:** ${credits} of ${requested} requested, bond of \`${developerUserId}\` → slash hold, \`slash/${slashId}/apply\``,
    `- **${refund === 'none' ? 'Calls, not refunded' : 'Calls to refund'}:** ${calls.length}`,
  ].join('\n');
}

function withdrawalDetails({
  withdrawalId,
  developerUserId,
  requestedUnits,
  requestedAt,
}: Withdrawal): string {
  return [
    `Withdrawal \`${withdrawalId}\`, requested by \`${developerUserId}\` at ${requestedAt.toISOString()}.`,
    '',
    `- **Credits:** at most ${unitsToCredits(requestedUnits)}, bond → wallet after the notice period`,
  ].join('\n');
}
