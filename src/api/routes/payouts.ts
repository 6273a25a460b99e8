import type { Static } from '@sinclair/typebox';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import {
  getPayoutMethod,
  getTaxForm,
  listEarnings,
  listPayouts,
  putPayoutMethod,
  putTaxForm,
} from '../../contract/payouts';
import {
  getPayout,
  getPayoutStatementCsv,
  getPayoutStatementPdf,
  listPayoutLines,
} from '../../contract/payout-statements';
import type { Authenticators } from '../../services/accounts/authenticators';
import type { PayoutAccounts, TaxFormInput } from '../../services/payouts/payout-accounts';
import type { PayoutViews } from '../../services/payouts/payout-views';
import { idPosition, listPage } from '../requests/list-page';
import {
  maturityView,
  payoutMethodView,
  payoutStatementView,
  payoutView,
  statementLine,
  taxFormView,
} from '../views/payouts';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { personOf } from '../identity/principal';

export interface PayoutRouteDeps {
  authenticators: Authenticators;
  payoutAccounts: PayoutAccounts;
  payoutViews: PayoutViews;
}

const PAYOUT_POSITION = idPosition('pay');
/** The call of the last line of a page, or the number of its carried amount. */
const LINE_POSITION = [/^(?:inv_[0-9a-f]{32}|carry_[0-9]{1,6})$/];
const DAY_POSITION = [/^[0-9]{4,6}-[0-9]{2}-[0-9]{2}$/];

/** A developer's payouts, payout method and tax form (contract, "Billing"). */
export function payoutRoutes(binder: RouteBinder, deps: PayoutRouteDeps): void {
  const { authenticators, payoutAccounts, payoutViews } = deps;

  binder.bind(listPayouts, ({ principal: { userId }, query }) =>
    listPage(
      { list: ['payouts', userId, query.status], position: PAYOUT_POSITION, query },
      ([beforeId], limit) =>
        payoutViews.list({ developerUserId: userId, status: query.status, beforeId, limit }),
      { position: ({ payoutId }) => [payoutId], view: payoutView },
    ),
  );

  binder.bind(getPayout, async ({ params, principal }) =>
    payoutStatementView(await payoutViews.get(principal.userId, params.payout_id)),
  );

  binder.bind(listPayoutLines, ({ params: { payout_id: payoutId }, query, principal: { userId } }) =>
    listPage(
      { list: ['payout-lines', payoutId], position: LINE_POSITION, query },
      ([after], limit) => payoutViews.lines(userId, payoutId, { limit, after }),
      { position: ({ place }) => [place], view: statementLine },
    ),
  );

  binder.bind(getPayoutStatementCsv, async ({ params, principal, res }) => {
    const text = await payoutViews.csv(principal.userId, params.payout_id);
    prepareFile(res, 'text/csv; charset=utf-8', `${params.payout_id}.csv`);
    // A client that goes away, or a page that fails, ends the connection: the file is visibly incomplete.
    await pipeline(Readable.from(text), res.status(200)).catch(() => res.destroy());
    return HANDLED;
  });

  binder.bind(getPayoutStatementPdf, async ({ params, principal, res }) =>
    sendFile(
      res,
      'application/pdf',
      `${params.payout_id}.pdf`,
      await payoutViews.pdf(principal.userId, params.payout_id),
    ),
  );

  binder.bind(listEarnings, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['earnings', userId], position: DAY_POSITION, query },
      ([afterDate], limit) => payoutViews.maturity(userId, { limit, afterDate }),
      { position: ({ date }) => [date], view: maturityView },
    ),
  );

  binder.bind(putPayoutMethod, async ({ body, principal }) => {
    await authenticators.checkPayoutChange(personOf(principal), body.totp_code);
    return payoutMethodView(await payoutAccounts.setMethod(principal.userId, body.method, body.details));
  });
  binder.bind(getPayoutMethod, async ({ principal }) =>
    payoutMethodView(await payoutAccounts.method(principal.userId)),
  );
  binder.bind(putTaxForm, async ({ body, principal }) =>
    taxFormView(await payoutAccounts.submitTaxForm(principal.userId, taxFormOf(body))),
  );
  binder.bind(getTaxForm, async ({ principal }) =>
    taxFormView(await payoutAccounts.taxForm(principal.userId)),
  );
}

export function prepareFile(res: Response, type: string, name: string): void {
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
}

/** Sends bytes as a file download. */
export function sendFile(res: Response, type: string, name: string, bytes: Buffer): typeof HANDLED {
  prepareFile(res, type, name);
  res.status(200).end(bytes);
  return HANDLED;
}

function taxFormOf(body: Static<NonNullable<(typeof putTaxForm)['body']>>): TaxFormInput {
  const { kind, legal_name: legalName, tax_id: taxId, signed_by: signedBy, country, address } = body;
  return { kind, legalName, country, taxId, address, signedBy };
}
