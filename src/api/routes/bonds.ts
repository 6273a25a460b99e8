import { depositBond, getBond, listDeveloperNotices, withdrawBond } from '../../contract/bonds';
import type { BondCases } from '../../engine/bonds';
import type { Bonds } from '../../services/bonds/bonds';
import { unitsOf } from '../requests/amounts';
import { idempotencyKeyOf } from '../requests/request-fields';
import { idPosition, listPage } from '../requests/list-page';
import { bondView, developerNoticeView, withdrawalView } from '../views/bonds';
import { replayable } from '../answers/replayed';
import type { RouteBinder } from '../binding/route';

export interface BondRouteDeps {
  bonds: Bonds;
  bondCases: BondCases;
}

const NOTICE_POSITION = idPosition('ntc');

/** /v1/billing/developer/bond and the developer's notices (contract, "Bonds and slashing"). */
export function bondRoutes(binder: RouteBinder, { bonds, bondCases }: BondRouteDeps): void {
  binder.bind(getBond, async ({ principal }) => bondView(await bonds.read(principal.userId)));

  binder.bind(depositBond, async ({ body, principal: { userId }, traceId, req }) => {
    const idempotencyKey = idempotencyKeyOf(req, undefined) ?? null;
    const asOf = new Date();
    const { bond, replayed } = await bonds.deposit({
      userId,
      units: unitsOf(body),
      idempotencyKey,
      traceId,
      asOf,
    });
    return replayable(bondView(bond), replayed);
  });

  binder.bind(withdrawBond, async ({ body, principal: { userId }, traceId }) => {
    const request = { userId, units: unitsOf(body), traceId, asOf: new Date() };
    return withdrawalView(await bondCases.withdraw(request));
  });

  binder.bind(listDeveloperNotices, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['developer-notices', userId], position: NOTICE_POSITION, query },
      ([beforeId], limit) => bonds.notices(userId, { limit, beforeId }),
      { position: ({ noticeId }) => [noticeId], view: developerNoticeView },
    ),
  );
}
