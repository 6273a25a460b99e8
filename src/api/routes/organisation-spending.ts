import {
  changeOrganisationRules,
  clearMemberBudget,
  getMemberBudget,
  getOrganisationRules,
  setMemberBudget,
} from '../../contract/organisation-spending';
import type { Organisations } from '../../services/organisations/organisations';
import type { RouteBinder } from '../binding/route';
import { memberSpendingView, rulesView } from '../views/accounts';

/** The budgets of members, and the rules for all calls of an organisation. */
export function organisationSpendingRoutes(
  binder: RouteBinder,
  { organisations }: { organisations: Organisations },
): void {
  binder.bind(getMemberBudget, async ({ principal, params: { org_id: orgId, user_id: member } }) =>
    memberSpendingView(member, await organisations.memberBudget(orgId, principal.userId, member)),
  );
  binder.bind(setMemberBudget, async ({ principal, params, body: { credits, window } }) => {
    const wish = { member: params.user_id, credits, window };
    return memberSpendingView(
      params.user_id,
      await organisations.setMemberBudget(params.org_id, principal.userId, wish),
    );
  });
  binder.bind(clearMemberBudget, async ({ principal, params }) => {
    await organisations.clearMemberBudget(params.org_id, principal.userId, params.user_id);
    return undefined;
  });
  binder.bind(getOrganisationRules, async ({ principal, params }) =>
    rulesView(await organisations.rules(params.org_id, principal.userId)),
  );
  binder.bind(changeOrganisationRules, async ({ principal, params, body }) => {
    const { min_trust_score: leastTrust, agents, developers } = body;
    return rulesView(
      await organisations.changeRules(params.org_id, principal.userId, { leastTrust, agents, developers }),
    );
  });
}
