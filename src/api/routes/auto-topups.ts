import {
  deleteAutoTopup,
  deletePaymentMethod,
  getAutoTopup,
  listPaymentMethods,
  setAutoTopup,
} from '../../contract/auto-topups';
import type { AutoTopups } from '../../services/billing/auto-topups';
import type { SavedMethods } from '../../services/billing/saved-methods';
import { idPosition, listPage } from '../requests/list-page';
import { autoTopupView, paymentMethodView } from '../views/payments';
import type { RouteBinder } from '../binding/route';

export interface AutoTopupRouteDeps {
  autoTopups: AutoTopups;
  savedMethods: SavedMethods;
}

const METHOD_POSITION = idPosition('svm');

/** GET|DELETE /v1/billing/payment-methods, GET|PUT|DELETE /v1/billing/auto-topup. */
export function autoTopupRoutes(binder: RouteBinder, { autoTopups, savedMethods }: AutoTopupRouteDeps): void {
  binder.bind(listPaymentMethods, ({ principal: { userId }, query }) =>
    listPage(
      { list: ['payment-methods', userId], position: METHOD_POSITION, query },
      ([beforeId], limit) => savedMethods.list(userId, { limit, beforeId }),
      { position: ({ methodId }) => [methodId], view: paymentMethodView },
    ),
  );
  binder.bind(deletePaymentMethod, async ({ principal: { userId }, params }) => {
    await savedMethods.end(userId, params.method_id);
    return undefined;
  });
  binder.bind(getAutoTopup, async ({ principal: { userId } }) =>
    autoTopupView(await autoTopups.read(userId)),
  );
  binder.bind(setAutoTopup, async ({ principal: { userId }, body }) =>
    autoTopupView(
      await autoTopups.set(userId, {
        belowCredits: body.below_credits,
        buyCredits: body.buy_credits,
        maxPerDay: body.max_per_day,
        maxMonthCredits: body.max_per_month,
        methodId: body.method_id,
      }),
    ),
  );
  binder.bind(deleteAutoTopup, async ({ principal: { userId } }) => {
    await autoTopups.end(userId);
    return undefined;
  });
}
