import type { Static } from '@sinclair/typebox';
import type { Payout, PayoutMethodView, TaxFormView } from '../../contract/payouts';
import { unitsToCredits } from '../../domain/ledger/money';
import { RAILS } from '../../domain/payouts/rails';
import type { RateFetchRow, RateRow } from '../../services/payouts/exchange-rates';
import type { PayoutAccounts } from '../../services/payouts/payout-accounts';
import type { PayoutViews } from '../../services/payouts/payout-views';

type PayoutRow = Awaited<ReturnType<PayoutViews['list']>>['rows'][number];
type Day = Awaited<ReturnType<PayoutViews['maturity']>>['rows'][number];
type Statement = Awaited<ReturnType<PayoutViews['get']>>;
type Line = Statement['lines'][number];

export function payoutView(payout: PayoutRow): Static<typeof Payout> {
  const { spotRate, rate, rateAt, payTo, transfer } = payout;
  return {
    payout_id: payout.payoutId,
    status: payout.status,
    credits: unitsToCredits(payout.amountUnits),
    method: payout.method,
    amount_minor: payout.amountMinor,
    currency: payout.currency,
    processing_time: payout.method === null ? null : RAILS[payout.method].processingTime,
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
    ...(transfer ? { transfer: transferOf(transfer) } : {}),
    period_start: payout.periodStart.toISOString(),
    period_end: payout.asOf.toISOString(),
    initiated_at: payout.initiatedAt.toISOString(),
    completed_at: payout.completedAt?.toISOString() ?? null,
  };
}

export function operatorPayoutView(payout: PayoutRow) {
  return {
    ...payoutView(payout),
    developer_user_id: payout.developerUserId,
    developer_name: payout.developerName ?? null,
    attempt: payout.attempt,
    file_id: payout.fileId,
    ...(payout.isRetriable === undefined ? {} : { retriable: payout.isRetriable }),
  };
}

/** The totals of the payouts of a Monday. */
export function payoutWeekView(
  monday: string,
  { groups, mondays }: Awaited<ReturnType<PayoutViews['week']>>,
) {
  return {
    monday,
    mondays,
    groups: groups.map(({ status, currency, payouts, amountUnits, amountMinor }) => ({
      status,
      currency,
      payouts,
      credits: unitsToCredits(amountUnits),
      amount_minor: amountMinor,
    })),
  };
}

/** A payout with the lines of its statement. */
export function payoutStatementView({ payout, lines, total }: Statement) {
  return { ...payoutView(payout), statement: { lines: lines.map(statementLine), total_lines: total } };
}

function transferOf(transfer: NonNullable<PayoutRow['transfer']>) {
  const { network, asset, state, txHash, validBefore } = transfer;
  return { network, asset, state, transaction: txHash, valid_until: validBefore.toISOString() };
}

/** A line of a statement. */
export function statementLine(line: Line) {
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

export function maturityView(day: Day) {
  return {
    matures_on: day.date,
    credits: unitsToCredits(day.units),
    earnings: day.earnings,
    disputed_credits: unitsToCredits(day.disputed),
  };
}

export function payoutMethodView(
  row: Awaited<ReturnType<PayoutAccounts['method']>>,
): Static<typeof PayoutMethodView> {
  const { method, masked, createdAt, returnedAt } = row;
  return {
    method,
    processing_time: RAILS[method].processingTime,
    details: masked,
    updated_at: createdAt.toISOString(),
    returned_at: returnedAt?.toISOString() ?? null,
  };
}

export function taxFormView(row: Awaited<ReturnType<PayoutAccounts['taxForm']>>): Static<typeof TaxFormView> {
  return {
    kind: row.kind,
    status: row.status,
    details: row.masked,
    submitted_at: row.submittedAt.toISOString(),
    reviewed_at: row.reviewedAt?.toISOString() ?? null,
    review_reason: row.reviewReason,
  };
}

/** A tax form for the operator who reviews it. */
export function waitingTaxFormView(
  row: Awaited<ReturnType<PayoutAccounts['waitingTaxForms']>>['rows'][number],
) {
  return { ...taxFormView(row), form_id: row.formId, developer_user_id: row.developerUserId };
}

export function rateView(row: RateRow) {
  return {
    pair: `USD/${row.currency}` as const,
    rate: row.rate,
    observed_at: row.observedAt.toISOString(),
    source: row.source,
    loaded_by: row.loadedBy,
    loaded_at: row.loadedAt.toISOString(),
  };
}

export function rateFetchView(row: RateFetchRow) {
  return {
    fetch_id: row.fetchId,
    source: row.source,
    outcome: row.outcome,
    reason: row.reason,
    message: row.message,
    rate: row.rate,
    observed_at: row.observedAt?.toISOString() ?? null,
    first_at: row.firstAt.toISOString(),
    last_at: row.lastAt.toISOString(),
    times: row.times,
  };
}
