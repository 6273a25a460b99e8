import type { SlashCounter, SlashRuling, SlashStatus } from '../domain/bonds/slash';
import { type Bonds, type Withdrawal, withdrawalInputOf } from '../services/bonds/bonds';
import { type Slash, type Slashes, slashInputOf } from '../services/bonds/slashes';
import type { bondWithdrawal } from '../workflows/bond-withdrawal';
import type { slashBond } from '../workflows/slash-bond';
import { type CasesDeps, createCases } from './cases';
import { AGENT_ID } from './start-invocation';

export interface BondCasesDeps extends CasesDeps {
  bonds: Pick<Bonds, 'markStarted' | 'listUnconfirmed'>;
  slashes: Pick<Slashes, 'markStarted' | 'listUnconfirmed'>;
}

/** The workflows `slash/<id>` and `bond-withdrawal/<id>` as the API and the worker's sweep use them. */
export function createBondCases({ bonds, slashes, ...deps }: BondCasesDeps) {
  const slashCases = createCases<Slash>(deps, {
    noun: 'slash',
    workflowOf: (slash) => ({
      type: 'slashBond',
      workflowId: `slash/${slash.slashId}`,
      args: [slashInputOf(slash)] satisfies Parameters<typeof slashBond>,
      staticSummary: `${slash.agentId}: slash`,
      typedSearchAttributes: [{ key: AGENT_ID, value: slash.agentId }],
    }),
    markStarted: ({ slashId }) => slashes.markStarted(slashId),
    listUnconfirmed: slashes.listUnconfirmed,
  });
  const withdrawals = createCases<Withdrawal>(deps, {
    noun: 'withdrawal',
    workflowOf: (withdrawal) => ({
      type: 'bondWithdrawal',
      workflowId: `bond-withdrawal/${withdrawal.withdrawalId}`,
      args: [withdrawalInputOf(withdrawal)] satisfies Parameters<typeof bondWithdrawal>,
    }),
    markStarted: ({ withdrawalId }) => bonds.markStarted(withdrawalId),
    listUnconfirmed: bonds.listUnconfirmed,
  });

  return {
    /** Never throws, like `startWithdrawal`. */
    startSlash: slashCases.start,
    startWithdrawal: withdrawals.start,

    async sweep(): Promise<void> {
      await slashCases.sweep();
      await withdrawals.sweep();
    },

    /** The developer's counter-argument; what it returns and throws says `createCases`. */
    counter: (slash: Slash, counter: SlashCounter, statement: string) =>
      slashCases.ask<SlashStatus>(slash, { name: 'counter', move: counter, text: statement }),

    /** The operator's decision; as `counter`. */
    resolve: (slash: Slash, ruling: SlashRuling, reason: string) =>
      slashCases.ask<SlashStatus>(slash, {
        name: 'resolve',
        move: ruling,
        text: `${ruling.decision}\n${reason}`,
      }),
  };
}

export type BondCases = ReturnType<typeof createBondCases>;
