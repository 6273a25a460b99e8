import {
  getPayoutFile,
  getPayoutWeek,
  listOperatorPayouts,
  listTaxForms,
  loadExchangeRate,
  retryPayout,
  returnPayout,
  reviewTaxForm,
  settlePayout,
} from '../../contract/operator-payouts';
import { MarketError } from '../../domain/errors';
import type { RateCurrency } from '../../domain/payouts/exchange-rate';
import type { PayoutEngine } from '../../engine/payouts';
import type { PayoutAccounts } from '../../services/payouts/payout-accounts';
import type { OperatorPayouts } from '../../services/payouts/operator-payouts';
import type { PayoutRuns } from '../../services/payouts/payout-runs';
import type { PayoutViews } from '../../services/payouts/payout-views';
import { instantOf, optionalInstantOf } from '../requests/instant';
import { idPosition, listPage } from '../requests/list-page';
import { operatorRequestOf } from '../requests/operator-request';
import { operatorPayoutView, payoutWeekView, taxFormView, waitingTaxFormView } from '../views/payouts';
import type { RouteBinder } from '../binding/route';
import { sendFile } from './payouts';

export interface OperatorPayoutRouteDeps {
  payoutAccounts: PayoutAccounts;
  payoutViews: PayoutViews;
  payoutRuns: PayoutRuns;
  operatorPayouts: OperatorPayouts;
  payoutEngine: PayoutEngine;
}

/** Operations of operators on payouts, tax forms and exchange rates. */
export function operatorPayoutRoutes(binder: RouteBinder, deps: OperatorPayoutRouteDeps): void {
  const { payoutAccounts, operatorPayouts } = deps;
  routesOfTaxForms(binder, deps);

  binder.bind(listOperatorPayouts, ({ query }) => {
    const { developer_user_id: developerUserId, status, monday } = query;
    const asOf = optionalInstantOf('monday', monday);
    return listPage(
      {
        list: ['operator-payouts', developerUserId, status, monday],
        position: idPosition('pay'),
        query,
      },
      ([beforeId], limit) =>
        deps.payoutViews.listWithNames({ developerUserId, status, asOf, beforeId, limit }),
      { position: ({ payoutId }) => [payoutId], view: operatorPayoutView },
    );
  });

  binder.bind(getPayoutWeek, async ({ params: { monday } }) =>
    payoutWeekView(monday, await deps.payoutViews.week(instantOf('path', 'monday', monday))),
  );

  binder.bind(settlePayout, async (input) => {
    const { params, body } = input;
    const request = operatorRequestOf(input);
    return operatorPayoutView(
      await operatorPayouts.settle(params.payout_id, body.result === 'paid', request),
    );
  });

  binder.bind(retryPayout, async (input) => {
    const share = await operatorPayouts.prepareRetry(input.params.payout_id, operatorRequestOf(input));
    try {
      await deps.payoutEngine.rerun(share);
    } catch (error) {
      await operatorPayouts.abandonRetry(share);
      throw error;
    }
    return { period_end: share.asOf.toISOString(), attempt: share.attempt };
  });

  binder.bind(returnPayout, async (input) =>
    operatorPayoutView(await operatorPayouts.giveBack(input.params.payout_id, operatorRequestOf(input))),
  );

  binder.bind(getPayoutFile, async ({ params, res }) => {
    const file = await deps.payoutRuns.readFile(params.file_id);
    if (!file) throw new MarketError('not_found');
    return sendFile(res, 'application/octet-stream', file.name, file.bytes);
  });

  binder.bind(loadExchangeRate, async ({ body, principal }) => {
    await payoutAccounts.loadRate({
      rate: body.rate,
      currency: body.pair.slice(4) as RateCurrency,
      observedAt: instantOf('body', 'observed_at', body.observed_at),
      source: body.source,
      loadedBy: principal.userId,
    });
    return undefined;
  });
}

function routesOfTaxForms(binder: RouteBinder, { payoutAccounts }: OperatorPayoutRouteDeps): void {
  binder.bind(listTaxForms, ({ query }) =>
    listPage(
      { list: ['tax-forms'], position: idPosition('tax'), query },
      ([beforeId], limit) => payoutAccounts.waitingTaxForms({ beforeId, limit }),
      { position: ({ formId }) => [formId], view: waitingTaxFormView },
    ),
  );

  binder.bind(reviewTaxForm, async ({ params, body, principal }) =>
    taxFormView(
      await payoutAccounts.reviewTaxForm(params.user_id, {
        status: body.decision,
        by: principal.userId,
        reason: body.reason,
      }),
    ),
  );
}
