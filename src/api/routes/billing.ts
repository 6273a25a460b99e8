import type { Static } from '@sinclair/typebox';
import {
  getBalance,
  getDeveloperBalance,
  getInvoicePdf,
  listDeveloperTransactions,
  listInvoices,
  listLedger,
  payRegistration,
  topUp,
  type Balance,
  type Invoice,
} from '../../contract/billing';
import { unitsToUsd } from '../../domain/billing/billing';
import {
  describeLine,
  type DeveloperEntryType,
  type EntryType,
  type WalletEntryType,
} from '../../domain/ledger/ledger';
import { unitsToCredits } from '../../domain/ledger/money';
import { encodeCursor } from '../../kit/ids/cursor';
import type { BillingService } from '../../services/billing/billing';
import type { LedgerService } from '../../services/ledger/ledger';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import { instantOf } from '../requests/instant';
import { positionOf } from '../requests/list-page';
import { Answer, HANDLED, type RouteBinder } from '../binding/route';

export interface BillingRoutesDeps {
  billing: BillingService;
  ledger: LedgerService;
}

const DEFAULT_LIMIT = 20;
const ENTRY_ID = /^[1-9][0-9]{0,17}$/;
const INVOICE_ID = /^ivc_[0-9a-f]{32}$/;

/** Wallet, invoices, registration fee, and the developer's side (contract, "Billing"). */
export function billingRoutes(binder: RouteBinder, deps: BillingRoutesDeps): void {
  walletRoutes(binder, deps);
  invoiceRoutes(binder, deps);
  developerRoutes(binder, deps);
}

function walletRoutes(binder: RouteBinder, { billing, ledger }: BillingRoutesDeps): void {
  binder.bind(getBalance, async ({ principal }) => toBalance(await ledger.walletBalance(principal.userId)));

  binder.bind(topUp, async ({ body, principal, traceId, req }) => {
    const { topup, balance, replayed } = await billing.topUp({
      userId: principal.userId,
      amountMinor: body.amountPaise,
      currency: body.currency,
      idempotencyKey: idempotencyKeyOf(req, undefined) ?? null,
      traceId,
    });
    const answer = {
      topup_id: topup.topupId,
      status: topup.status,
      credits: unitsToCredits(topup.amountUnits),
      amount_minor: topup.amountMinor,
      currency: topup.currency,
      ...(topup.paymentUrl === null ? {} : { payment_url: topup.paymentUrl }),
      ...(topup.invoiceId === null ? {} : { invoice_id: topup.invoiceId }),
      balance: toBalance(balance),
    };
    return new Answer(answer, replayed ? { headers: { 'Idempotent-Replayed': 'true' } } : {});
  });

  binder.bind(listLedger, async ({ query, principal }) => {
    const list = await listLines(ledger, principal.userId, 'ledger', ['wallet'], query);
    return { ...list, items: list.items.map(({ account: _account, ...item }) => item as WalletItem) };
  });

  binder.bind(payRegistration, async ({ principal, traceId }) => {
    const { chargedUnits, walletUnits } = await billing.payRegistration(principal.userId, traceId);
    return {
      registration_paid: true as const,
      charged_credits: unitsToCredits(chargedUnits),
      balance_credits: unitsToCredits(walletUnits),
    };
  });
}

function invoiceRoutes(binder: RouteBinder, { billing }: BillingRoutesDeps): void {
  binder.bind(listInvoices, async ({ query, principal }) => {
    const scope = `invoices/${principal.userId}`;
    const limit = query.limit ?? DEFAULT_LIMIT;
    const beforeId = positionOf(scope, query.cursor, INVOICE_ID);
    const { invoices, total } = await billing.invoices({
      userId: principal.userId,
      beforeId,
      limit: limit + 1,
    });
    const { items, next } = cut(invoices, limit, (invoice) => encodeCursor(scope, [invoice.invoiceId]));
    return { items: items.map(toInvoice), next_cursor: next, total };
  });

  binder.bind(getInvoicePdf, async ({ params, principal, res }) => {
    const { number, pdf } = await billing.invoicePdf(principal.userId, params.invoice_id);
    res.setHeader('Content-Type', 'application/pdf');
    res.setHeader('Content-Disposition', `attachment; filename="${number}.pdf"`);
    res.end(pdf);
    return HANDLED;
  });
}

function developerRoutes(binder: RouteBinder, { ledger }: BillingRoutesDeps): void {
  binder.bind(getDeveloperBalance, async ({ principal }) => {
    const balance = await ledger.developerBalance(principal.userId, new Date());
    return {
      available_credits: unitsToCredits(balance.walletUnits),
      pending_payout_credits: unitsToCredits(balance.pendingPayoutUnits),
      matured_credits: unitsToCredits(balance.maturedUnits),
      bond_credits: unitsToCredits(balance.bondUnits),
      lifetime_earned_credits: unitsToCredits(balance.lifetimeEarnedUnits),
      updated_at: balance.updatedAt.toISOString(),
    };
  });

  binder.bind(listDeveloperTransactions, async ({ query, principal }) => {
    const list = await listLines(ledger, principal.userId, 'transactions', ['payable', 'bond'], query);
    return { ...list, items: list.items as DeveloperItem[] };
  });
}

type WalletItem = Omit<LineItem, 'account' | 'entry_type'> & { entry_type: WalletEntryType };
type DeveloperItem = LineItem & { account: 'payable' | 'bond'; entry_type: DeveloperEntryType };
type Account = 'wallet' | 'payable' | 'bond';
type LineItem = Awaited<ReturnType<typeof listLines>>['items'][number];

interface LinesQuery {
  limit?: number;
  cursor?: string;
  since?: string;
  entry_type?: EntryType;
}

async function listLines(
  ledger: LedgerService,
  userId: string,
  list: string,
  accounts: readonly Account[],
  query: LinesQuery,
) {
  const scope = [list, userId, query.entry_type, query.since].join('/');
  const limit = query.limit ?? DEFAULT_LIMIT;
  const { lines, total } = await ledger.lines({
    userId,
    accounts,
    entryType: query.entry_type,
    since: query.since === undefined ? undefined : instantOf('query', 'since', query.since),
    beforeEntryId: positionOf(scope, query.cursor, ENTRY_ID),
    limit: limit + 1,
  });
  const { items, next } = cut(lines, limit, (line) => encodeCursor(scope, [line.entryId]));
  const shown = items.map((line) => ({
    transaction_id: line.transactionId,
    account: line.account as Account,
    entry_type: line.entryType,
    credits: unitsToCredits(line.amountUnits),
    balance_after_credits: unitsToCredits(line.balanceAfterUnits),
    ...(line.invocationId === null ? {} : { invocation_id: line.invocationId }),
    ...(line.agentId === null ? {} : { agent_id: line.agentId }),
    description: describeLine(line),
    created_at: line.createdAt.toISOString(),
  }));
  return { items: shown, next_cursor: next, total };
}

/** A page of at most `limit` rows, and the cursor of its last row when there was one more. */
function cut<T>(
  rows: readonly T[],
  limit: number,
  cursorOf: (row: T) => string,
): { items: T[]; next: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

function toBalance(balance: {
  availableUnits: number;
  escrowUnits: number;
  updatedAt: Date;
}): Static<typeof Balance> {
  return {
    available_credits: unitsToCredits(balance.availableUnits),
    escrow_credits: unitsToCredits(balance.escrowUnits),
    usd_equivalent: unitsToUsd(balance.availableUnits),
    updated_at: balance.updatedAt.toISOString(),
  };
}

function toInvoice(
  invoice: Awaited<ReturnType<BillingService['invoices']>>['invoices'][number],
): Static<typeof Invoice> {
  return {
    invoice_id: invoice.invoiceId,
    number: invoice.number,
    credits: unitsToCredits(invoice.amountUnits),
    amount_minor: invoice.amountMinor,
    currency: invoice.currency,
    status: invoice.status,
    issued_at: invoice.issuedAt.toISOString(),
  };
}
