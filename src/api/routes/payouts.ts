import type { Response } from 'express';
import type { Static } from '@sinclair/typebox';
import {
  getPayout,
  getPayoutMethod,
  getPayoutStatementCsv,
  getPayoutStatementPdf,
  getTaxForm,
  listEarnings,
  listPayouts,
  putPayoutMethod,
  putTaxForm,
  type Payout,
  type PayoutMethodView,
  type TaxFormView,
} from '../../contract/payouts';
import { MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import type { PayoutAccounts } from '../../services/payouts/payout-accounts';
import type { PayoutViews } from '../../services/payouts/payout-views';
import { listPage } from '../requests/list-page';
import { HANDLED, type RouteBinder } from '../binding/route';

export interface PayoutRouteDeps {
  payoutAccounts: PayoutAccounts;
  payoutViews: PayoutViews;
}

const PAYOUT_ID = /^pay_[0-9a-f]{32}$/;
const DAY = /^[0-9]{4,6}-[0-9]{2}-[0-9]{2}$/;
const DEFAULT_LIMIT = 20;

type PayoutRow = Awaited<ReturnType<PayoutViews['list']>>['rows'][number];

/** A developer's payouts, payout method and tax form (contract, "Billing"). */
export function payoutRoutes(binder: RouteBinder, deps: PayoutRouteDeps): void {
  const { payoutAccounts, payoutViews } = deps;

  binder.bind(listPayouts, ({ query, principal }) =>
    pageOfPayouts(payoutViews, `payouts/${principal.userId}/${query.status}`, query, toPayout, {
      developerUserId: principal.userId,
    }),
  );

  binder.bind(getPayout, async ({ params, principal }) => {
    const { payout, lines, total } = await payoutViews.get(principal.userId, params.payout_id);
    return { ...toPayout(payout), statement: { lines: lines.map(toLine), total_lines: total } };
  });

  binder.bind(getPayoutStatementCsv, async ({ params, principal, res }) =>
    sendFile(
      res,
      'text/csv; charset=utf-8',
      `${params.payout_id}.csv`,
      await payoutViews.csv(principal.userId, params.payout_id),
    ),
  );

  binder.bind(getPayoutStatementPdf, async ({ params, principal, res }) =>
    sendFile(
      res,
      'application/pdf',
      `${params.payout_id}.pdf`,
      await payoutViews.pdf(principal.userId, params.payout_id),
    ),
  );

  binder.bind(listEarnings, ({ query, principal: { userId } }) =>
    listPage(`earnings/${userId}`, query, DAY, async (afterDate, limit) => {
      const { days: rows, total } = await payoutViews.maturity(userId, { limit, afterDate });
      return { rows, total, idOf: ({ date }: Day) => date, view: toDay };
    }),
  );

  binder.bind(putPayoutMethod, async ({ body, principal }) =>
    toMethod(await payoutAccounts.setMethod(principal.userId, body.method, body.details)),
  );
  binder.bind(getPayoutMethod, async ({ principal }) =>
    toMethod(await payoutAccounts.method(principal.userId)),
  );
  binder.bind(putTaxForm, async ({ body, principal }) =>
    toTaxForm(
      await payoutAccounts.submitTaxForm(principal.userId, {
        kind: body.kind,
        legalName: body.legal_name,
        country: body.country,
        taxId: body.tax_id,
      }),
    ),
  );
  binder.bind(getTaxForm, async ({ principal }) => toTaxForm(await payoutAccounts.taxForm(principal.userId)));
}

/** A page of payouts, newest first. */
export async function pageOfPayouts<View>(
  views: PayoutViews,
  scope: string,
  query: { limit?: number; cursor?: string; status?: PayoutRow['status'] },
  view: (payout: PayoutRow) => View,
  filter: { developerUserId?: string | undefined },
): Promise<{ items: View[]; next_cursor: string | null; total: number }> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const position = query.cursor === undefined ? [] : decodeCursor(scope, query.cursor, [PAYOUT_ID]);
  if (!position) {
    const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
    throw new MarketError('validation_failed', { detail });
  }
  const { rows, total } = await views.list({
    ...filter,
    status: query.status,
    beforeId: position[0],
    limit: limit + 1,
  });
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(view),
    next_cursor: last ? encodeCursor(scope, [last.payoutId]) : null,
    total,
  };
}

/** Sends bytes as a download. */
export function sendFile(res: Response, type: string, name: string, bytes: Buffer): typeof HANDLED {
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  res.status(200).end(bytes);
  return HANDLED;
}

export function toPayout(payout: PayoutRow): Static<typeof Payout> {
  const { spotRate, rate, rateAt, payTo, transfer } = payout;
  return {
    payout_id: payout.payoutId,
    status: payout.status,
    credits: unitsToCredits(payout.amountUnits),
    method: payout.method,
    amount_minor: payout.amountMinor,
    currency: payout.currency,
    ...(spotRate !== null && rate !== null && rateAt !== null
      ? {
          rate: {
            pair: 'USD/INR' as const,
            spot: spotRate,
            applied: rate,
            observed_at: rateAt.toISOString(),
          },
        }
      : {}),
    ...(payout.reason === null ? {} : { reason: payout.reason }),
    remainder_credits: unitsToCredits(payout.remainderUnits),
    ...(payTo === '' ? {} : { pay_to: payTo }),
    ...(transfer ? { transfer: toTransfer(transfer) } : {}),
    period_start: payout.periodStart.toISOString(),
    period_end: payout.asOf.toISOString(),
    initiated_at: payout.initiatedAt.toISOString(),
    completed_at: payout.completedAt?.toISOString() ?? null,
  };
}

type Day = Awaited<ReturnType<PayoutViews['maturity']>>['days'][number];

function toDay(day: Day) {
  return {
    matures_on: day.date,
    credits: unitsToCredits(day.units),
    earnings: day.earnings,
    disputed_credits: unitsToCredits(day.disputed),
  };
}

function toTransfer(transfer: NonNullable<PayoutRow['transfer']>) {
  const { network, asset, state, txHash, validBefore } = transfer;
  return { network, asset, state, transaction: txHash, valid_until: validBefore.toISOString() };
}

type Line = Awaited<ReturnType<PayoutViews['get']>>['lines'][number];

function toLine(line: Line) {
  return {
    type: line.type,
    ...(line.invocationId === null ? {} : { invocation_id: line.invocationId }),
    ...(line.agentId === null ? {} : { agent_id: line.agentId }),
    ...(line.payoutId === null ? {} : { payout_id: line.payoutId }),
    gross_credits: unitsToCredits(line.grossUnits),
    fee_credits: unitsToCredits(line.feeUnits),
    taken_back_credits: unitsToCredits(line.recoveredUnits),
    credits: unitsToCredits(line.units),
    at: line.at.toISOString(),
  };
}

function toMethod(row: Awaited<ReturnType<PayoutAccounts['method']>>): Static<typeof PayoutMethodView> {
  return { method: row.method, details: row.masked, updated_at: row.createdAt.toISOString() };
}

export function toTaxForm(row: Awaited<ReturnType<PayoutAccounts['taxForm']>>): Static<typeof TaxFormView> {
  return {
    kind: row.kind,
    status: row.status,
    details: row.masked,
    submitted_at: row.submittedAt.toISOString(),
    reviewed_at: row.reviewedAt?.toISOString() ?? null,
    review_reason: row.reviewReason,
  };
}
