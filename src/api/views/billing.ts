import type { Static } from '@sinclair/typebox';
import type { Balance } from '../../contract/billing';
import type { BillingDetails as DetailsView } from '../../contract/billing-details';
import { unitsToUsd } from '../../domain/billing/billing';
import type { BillingDetails } from '../../domain/billing/billing-details';
import type { TaxRule } from '../../domain/billing/tax';
import { taxNumberName } from '../../domain/billing/tax-number';
import { describeLine, type DeveloperEntryType, type WalletEntryType } from '../../domain/ledger/ledger';
import { NEW_BUYER_DAYS } from '../../domain/payouts/new-pair';
import type { SpendPart } from '../../domain/billing/spend-parts';
import { pairOf } from '../../domain/billing/tag';
import type { Budget } from '../../services/billing/budgets';
import type { Spend } from '../../services/billing/spend';
import { unitsToCredits } from '../../domain/ledger/money';
import type { BillingService } from '../../services/billing/billing';
import type { LedgerService } from '../../services/ledger/ledger';
import { topUpTaxView } from './documents/invoices';

type WalletBalance = Awaited<ReturnType<LedgerService['walletBalance']>>;
type DeveloperBalance = Awaited<ReturnType<LedgerService['developerBalance']>>;
type Line = Awaited<ReturnType<LedgerService['lines']>>['rows'][number];
type Topup = Awaited<ReturnType<BillingService['topUp']>>;

export function balanceView(balance: WalletBalance): Static<typeof Balance> {
  return {
    available_credits: unitsToCredits(balance.availableUnits),
    escrow_credits: unitsToCredits(balance.escrowUnits),
    usd_equivalent: unitsToUsd(balance.availableUnits),
    held_for_jobs: balance.jobs.map((job) => ({
      invocation_id: job.invocation_id,
      agent_id: job.agent_id,
      credits: unitsToCredits(job.amount_units),
      held_at: new Date(job.held_at).toISOString(),
      ends_at: new Date(job.ends_at).toISOString(),
      waits_for: job.waits_for,
    })),
    updated_at: balance.updatedAt.toISOString(),
  };
}

export function topupView({ topup, balance }: Topup) {
  return {
    topup_id: topup.topupId,
    status: topup.status,
    credits: unitsToCredits(topup.amountUnits),
    amount_minor: topup.amountMinor,
    ...(topup.isTaxed && { tax_minor: topup.taxMinor }),
    currency: topup.currency,
    ...(topup.exchange !== null && { exchange: exchangeView(topup.exchange) }),
    ...(topup.paymentUrl === null ? {} : { payment_url: topup.paymentUrl }),
    ...(topup.invoiceId === null ? {} : { invoice_id: topup.invoiceId }),
    balance: balanceView(balance),
  };
}

type Exchange = NonNullable<Topup['topup']['exchange']>;

export const exchangeView = ({ rate, observedAt, spreadPercent }: Exchange) => ({
  rate,
  observed_at: observedAt.toISOString(),
  spread_percent: spreadPercent,
});

export function topupQuoteView(quote: Awaited<ReturnType<BillingService['topUpQuote']>>) {
  const { price, amountMinor, currency, savesMethods } = quote;
  return {
    amount_minor: amountMinor,
    currency,
    credits: unitsToCredits(price.units),
    exchange: price.exchange && exchangeView(price.exchange),
    saves_methods: savesMethods,
  };
}

export function developerBalanceView(
  balance: DeveloperBalance,
  setUp: { hasMethod: boolean; hasTaxForm: boolean },
) {
  return {
    available_credits: unitsToCredits(balance.walletUnits),
    pending_payout_credits: unitsToCredits(balance.pendingPayoutUnits),
    matured_credits: unitsToCredits(balance.maturedUnits),
    bond_credits: unitsToCredits(balance.bondUnits),
    lifetime_earned_credits: unitsToCredits(balance.lifetimeEarnedUnits),
    ...(balance.reserveMs > 0 && {
      reserve: {
        reason: 'never_paid' as const,
        buyers_younger_than_days: NEW_BUYER_DAYS,
        matures_after_seconds: Math.floor(balance.reserveMs / 1_000),
      },
    }),
    has_payout_method: setUp.hasMethod,
    has_tax_form: setUp.hasTaxForm,
    updated_at: balance.updatedAt.toISOString(),
  };
}

/** A line of a wallet. The read was for accounts of kind `wallet`, so the entry type is one of theirs. */
export function walletLineView(line: Line) {
  return {
    transaction_id: line.transactionId,
    entry_type: line.entryType as WalletEntryType,
    ...lineFields(line),
  };
}

/** A line of a developer's payable or bond account. */
export function developerLineView(line: Line) {
  return {
    transaction_id: line.transactionId,
    account: line.account as 'payable' | 'bond',
    entry_type: line.entryType as DeveloperEntryType,
    ...lineFields(line),
    ...(line.maturesLateAt && {
      reserve: { reason: 'never_paid' as const, matures_at: line.maturesLateAt.toISOString() },
    }),
  };
}

function lineFields(line: Line) {
  return {
    credits: unitsToCredits(line.amountUnits),
    balance_after_credits: unitsToCredits(line.balanceAfterUnits),
    ...(line.invocationId === null ? {} : { invocation_id: line.invocationId }),
    ...(line.agentId === null ? {} : { agent_id: line.agentId }),
    description: describeLine(line),
    created_at: line.createdAt.toISOString(),
  };
}

export function billingDetailsView(details: BillingDetails, tax: TaxRule | null): Static<typeof DetailsView> {
  const { company, address, country, taxNumber, receiptsEmail, reference } = details;
  return {
    company,
    address,
    country,
    tax_number: taxNumber,
    tax_number_name: country === null ? null : taxNumberName(country),
    receipts_email: receiptsEmail,
    reference,
    ...(tax && { top_up_tax: topUpTaxView(tax) }),
  };
}

const spentView = ({ calls, units }: { calls: number; units: number }) => ({
  calls,
  credits: unitsToCredits(units),
});

/** What an account paid for calls. */
export function spendView({ firstDay, endDay, total, days, agents, keys }: Spend) {
  return {
    first_day: firstDay,
    end_day: endDay,
    ...spentView(total),
    days: days.map((day) => ({ date: day.date, ...spentView(day) })),
    agents: agents.map((one) => ({ agent_id: one.of, display_name: one.name, ...spentView(one) })),
    keys: keys.map((one) => ({ key_id: one.of || null, name: one.name, ...spentView(one) })),
  };
}

export function budgetView(budget: Budget) {
  return {
    budget_id: budget.budgetId,
    tag: budget.tag,
    credits: unitsToCredits(budget.capUnits),
    window: budget.capWindow,
    used_credits: unitsToCredits(budget.usedUnits),
    left_credits: unitsToCredits(Math.max(0, budget.capUnits - budget.usedUnits)),
    window_ends_at: budget.windowEndsAt?.toISOString() ?? null,
    time_zone: budget.timeZone,
    created_at: budget.createdAt.toISOString(),
  };
}

type Grouped = Awaited<ReturnType<BillingService['spendGroups']>>;

/** The sums by some parts. */
export function spendGroupsView(parts: readonly SpendPart[], { groups, isCut }: Grouped) {
  const has = (part: SpendPart) => parts.includes(part);
  return {
    groups: groups.map((group) => ({
      ...(has('day') && { date: group.date ?? '' }),
      ...(has('agent') && { agent_id: group.agentId ?? '', display_name: group.agentName }),
      ...(has('key') && { key_id: group.keyId || null, key_name: group.keyName }),
      ...(has('tag') && { tag: pairOf(group.tag ?? '') }),
      ...(has('member') && { member_id: group.memberId || null, member_name: group.memberName }),
      ...spentView(group),
    })),
    ...(isCut && { groups_cut: true as const }),
  };
}

type FreeCallsRow = Awaited<ReturnType<BillingService['freeCalls']>>['rows'][number];

export function freeCallsView({ agentId, perMonth, left }: FreeCallsRow) {
  return { agent_id: agentId, per_month: perMonth, left };
}
