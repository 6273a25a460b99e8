/**
 * What the members of an organisation may spend of its credits, and on which agents (ADR 0400, ADR 0401). The statement
 * that accepts a call decides both.
 */
import type { CapWindow } from '../../domain/accounts/oauth-grant';
import { mayDo, MAX_RULE_ENTRIES, type MemberRole } from '../../domain/accounts/roles';
import { MarketError } from '../../domain/errors';
import { creditsToUnits } from '../../domain/ledger/money';
import { newId } from '../../kit/ids/ids';
import { findMember, type MemberRow } from '../../stores/organisations/members';
import { type MemberBudget, setMemberBudget } from '../../stores/organisations/member-budgets';
import {
  changeRules,
  developerAccounts,
  type OrganisationRules,
  readRules,
  type RulesChange,
} from '../../stores/organisations/rules';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { lockedRole, requireRole, tooSmall } from './guards';

export type { MemberBudget, OrganisationRules, RulesChange };

/** Whether a member sees the budget of another one. Each sees the own one. */
export const seesBudget = (role: MemberRole, own: string, member: string): boolean =>
  own === member || mayDo(role, 'viewMoney');

export function createMemberSpending(pool: DbPool) {
  const found = async (db: Db, orgId: string, member: string): Promise<MemberRow> => {
    const row = await findMember(db, orgId, member);
    if (!row) throw new MarketError('not_found');
    return row;
  };
  return {
    /** The budget of a member, with what is spent of it. Throws `forbidden` for roles that see no money of others. */
    async memberBudget(orgId: string, person: string, member: string): Promise<MemberBudget | null> {
      const role = await requireRole(pool, orgId, person, 'view');
      if (!seesBudget(role, person, member)) throw tooSmall(role);
      return (await found(pool, orgId, member)).budget;
    },

    /** The budget of a member who acts; null without one, and for people outside. */
    budgetOf: async (orgId: string, member: string): Promise<MemberBudget | null> =>
      (await findMember(pool, orgId, member))?.budget ?? null,

    /**
     * Sets what a member may spend in each window, from the next call on. Only an owner sets the own budget. Throws
     * `not_found`, `forbidden`.
     */
    setMemberBudget: (
      orgId: string,
      by: string,
      { member, credits, window }: { member: string; credits: number; window: CapWindow },
    ): Promise<MemberBudget | null> =>
      withTransaction(pool, async (tx) => {
        await requireOver(tx, orgId, by, member);
        const capUnits = creditsToUnits(credits);
        const wish = { orgId, userId: member, budgetId: newId('bgt'), capUnits, capWindow: window };
        if (!(await setMemberBudget(tx, wish))) throw new MarketError('not_found');
        return (await found(tx, orgId, member)).budget;
      }),

    /**
     * Removes the budget of a member, who may then spend what the organisation has. Throws `not_found`, `forbidden`.
     */
    clearMemberBudget: (orgId: string, by: string, member: string): Promise<void> =>
      withTransaction(pool, async (tx) => {
        await requireOver(tx, orgId, by, member);
        const none = { orgId, userId: member, budgetId: '', capUnits: null, capWindow: 'lifetime' } as const;
        if (!(await setMemberBudget(tx, none))) throw new MarketError('not_found');
      }),

    /** The rules for all calls that the organisation pays. */
    async rules(orgId: string, person: string): Promise<OrganisationRules> {
      await requireRole(pool, orgId, person, 'view');
      return readRules(pool, orgId);
    },

    /**
     * Changes the rules, from the next call on. Throws `validation_failed` for unknown developers, and for more than
     * 1,000 agents and developers.
     */
    changeRules: (orgId: string, by: string, change: RulesChange): Promise<OrganisationRules> =>
      withTransaction(pool, async (tx) => {
        await lockedRole(tx, orgId, by, 'limits');
        const developers = change.developers && (await accountsOf(tx, change.developers));
        if ((await changeRules(tx, orgId, { ...change, developers })) > MAX_RULE_ENTRIES) throw tooMany();
        return readRules(tx, orgId);
      }),
  };
}

/** Throws unless the person may set the budget of the member. */
async function requireOver(tx: Db, orgId: string, by: string, member: string): Promise<void> {
  const role = await lockedRole(tx, orgId, by, 'limits');
  if (by === member && role !== 'owner')
    throw new MarketError('forbidden', {
      message: 'Another owner, admin or finance member sets your budget. Only owners set their own.',
    });
}

async function accountsOf(tx: Db, developerIds: readonly string[]): Promise<string[]> {
  const accounts = await developerAccounts(tx, developerIds);
  const detail = developerIds.flatMap((id, at) =>
    accounts.has(id)
      ? []
      : [{ loc: ['body', 'developers', at], msg: `no developer has the id ${id}`, type: 'unknown' }],
  );
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
  return [...accounts.values()];
}

function tooMany(): MarketError {
  const msg = `the rules list at most ${MAX_RULE_ENTRIES} agents and developers together`;
  return new MarketError('validation_failed', {
    detail: [{ loc: ['body', 'agents'], msg, type: 'too_many' }],
  });
}
