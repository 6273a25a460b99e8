import { getSpend, getSpendCsv, listFreeCalls } from '../../contract/spend';
import { spendPartsOf } from '../../domain/billing/spend-parts';
import type { BillingService } from '../../services/billing/billing';
import { optionalInstantOf } from '../requests/instant';
import { listPage } from '../requests/list-page';
import { freeCallsView, spendGroupsView, spendView } from '../views/billing';
import { sendFile } from './payouts';
import type { RouteBinder } from '../binding/route';

export interface SpendRouteDeps {
  billing: Pick<BillingService, 'spend' | 'spendGroups' | 'spendCsv' | 'freeCalls'>;
}

const AGENT_POSITION = [/^agt_[a-z0-9_]{1,90}$/];

/** GET /v1/billing/spend, /v1/billing/spend.csv and /v1/billing/free-calls. */
export function spendRoutes(binder: RouteBinder, { billing }: SpendRouteDeps): void {
  binder.bind(getSpend, async ({ query, principal: { userId } }) => {
    const window = windowOf(query);
    const { group_by: parts, tag } = query;
    const spend = await billing.spend(userId, window);
    if (parts === undefined) return spendView(spend);
    const grouped = await billing.spendGroups(userId, { ...window, parts: spendPartsOf(parts), tag });
    return { ...spendView(spend), ...spendGroupsView(spendPartsOf(parts), grouped) };
  });
  binder.bind(getSpendCsv, async ({ query, principal: { userId }, res }) => {
    const wish = { ...windowOf(query), parts: spendPartsOf(query.group_by), tag: query.tag };
    return sendFile(
      res,
      'text/csv; charset=utf-8',
      'spend.csv',
      Buffer.from(await billing.spendCsv(userId, wish)),
    );
  });
  binder.bind(listFreeCalls, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['free-calls', userId], position: AGENT_POSITION, query },
      ([afterId], limit) => billing.freeCalls({ userId, afterId, limit }),
      { position: ({ agentId }) => [agentId], view: freeCallsView },
    ),
  );
}

const windowOf = ({ since, until }: { since?: string; until?: string }) => ({
  since: optionalInstantOf('since', since),
  until: optionalInstantOf('until', until),
});
