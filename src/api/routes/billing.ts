import {
  getBalance,
  getDeveloperBalance,
  listDeveloperTransactions,
  listLedger,
  payRegistration,
} from '../../contract/billing';
import { getTopUpQuote, topUp } from '../../contract/topups';
import { changeBillingDetails, getBillingDetails } from '../../contract/billing-details';
import type { BillingDetails } from '../../domain/billing/billing-details';
import type { EntryType } from '../../domain/ledger/ledger';
import { unitsToCredits } from '../../domain/ledger/money';
import type { BillingService } from '../../services/billing/billing';
import type { LedgerService } from '../../services/ledger/ledger';
import type { Organisations } from '../../services/organisations/organisations';
import { actsForOrganisation } from '../identity/principal';
import { freezeView, memberBudgetView } from '../views/accounts';
import type { AccountsService } from '../../services/accounts/accounts';
import type { PayoutAccounts } from '../../services/payouts/payout-accounts';
import { idempotencyKeyOf } from '../requests/request-fields';
import { optionalInstantOf } from '../requests/instant';
import { listPage, type PageQuery } from '../requests/list-page';
import {
  balanceView,
  billingDetailsView,
  developerBalanceView,
  developerLineView,
  topupQuoteView,
  topupView,
  walletLineView,
} from '../views/billing';
import { replayable } from '../answers/replayed';
import type { RouteBinder } from '../binding/route';

export interface BillingRoutesDeps {
  accounts: Pick<AccountsService, 'freeze'>;
  billing: BillingService;
  ledger: LedgerService;
  payoutAccounts: Pick<PayoutAccounts, 'setUp'>;
  organisations: Pick<Organisations, 'budgetOf'>;
}

const ENTRY_POSITION = [/^[1-9][0-9]{0,17}$/];

/** Wallet, billing details, registration fee, and the developer's balance (contract, "Billing"). */
export function billingRoutes(binder: RouteBinder, deps: BillingRoutesDeps): void {
  walletRoutes(binder, deps);
  detailRoutes(binder, deps);
  developerRoutes(binder, deps);
}

function walletRoutes(
  binder: RouteBinder,
  { accounts, billing, ledger, organisations }: BillingRoutesDeps,
): void {
  binder.bind(getBalance, async ({ principal }) => {
    const { userId, person } = principal;
    const balance = balanceView(await ledger.walletBalance(userId));
    if (!actsForOrganisation(principal)) return balance;
    const budget = person === null ? null : await organisations.budgetOf(userId, person);
    const freeze = await accounts.freeze(userId);
    return {
      ...balance,
      ...(budget && { member_budget: memberBudgetView(budget) }),
      ...(freeze && { wallet_frozen: freezeView(freeze) }),
    };
  });

  binder.bind(topUp, async ({ body, principal, traceId, req }) => {
    const made = await billing.topUp({
      userId: principal.userId,
      amountMinor: body.amountPaise,
      currency: body.currency,
      idempotencyKey: idempotencyKeyOf(req, undefined) ?? null,
      savesMethod: body.save_method ?? false,
      leastCredits: body.min_credits ?? null,
      traceId,
    });
    return replayable(topupView(made), made.replayed);
  });

  binder.bind(getTopUpQuote, async ({ query }) =>
    topupQuoteView(await billing.topUpQuote(query.amountPaise, query.currency)),
  );

  binder.bind(listLedger, ({ query, principal: { userId } }) =>
    query.invocation_id === undefined
      ? pageOfLines(ledger, { list: 'ledger', userId, accounts: ['wallet'], view: walletLineView }, query)
      : pageOfCall(ledger, userId, query.invocation_id, query),
  );

  binder.bind(payRegistration, async ({ principal, traceId }) => {
    const { chargedUnits, walletUnits } = await billing.payRegistration(principal.userId, traceId);
    return {
      registration_paid: true as const,
      charged_credits: unitsToCredits(chargedUnits),
      balance_credits: unitsToCredits(walletUnits),
    };
  });
}

function detailRoutes(binder: RouteBinder, { billing }: BillingRoutesDeps): void {
  const view = async (userId: string, details: Promise<BillingDetails>) =>
    billingDetailsView(await details, await billing.taxRule(userId));

  binder.bind(getBillingDetails, ({ principal: { userId } }) => view(userId, billing.details(userId)));

  binder.bind(changeBillingDetails, async ({ body, principal: { userId } }) => {
    const {
      company,
      address,
      country,
      tax_number: taxNumber,
      receipts_email: receiptsEmail,
      reference,
    } = body;
    const change = {
      ...(company !== undefined && { company }),
      ...(address !== undefined && { address }),
      ...(country !== undefined && { country }),
      ...(taxNumber !== undefined && { taxNumber }),
      ...(receiptsEmail !== undefined && { receiptsEmail }),
      ...(reference !== undefined && { reference }),
    };
    const changed = await billing.changeDetails(userId, change);
    return view(userId, Promise.resolve(changed));
  });
}

function developerRoutes(binder: RouteBinder, { ledger, payoutAccounts }: BillingRoutesDeps): void {
  binder.bind(getDeveloperBalance, async ({ principal: { userId } }) => {
    const [balance, setUp] = await Promise.all([
      ledger.developerBalance(userId, new Date()),
      payoutAccounts.setUp(userId),
    ]);
    return developerBalanceView(balance, setUp);
  });

  binder.bind(listDeveloperTransactions, ({ query, principal: { userId } }) =>
    pageOfLines(
      ledger,
      { list: 'transactions', userId, accounts: ['payable', 'bond'], view: developerLineView },
      query,
    ),
  );
}

type Lines = Awaited<ReturnType<LedgerService['lines']>>['rows'];

interface LinesOf<View> {
  list: string;
  userId: string;
  accounts: readonly ('wallet' | 'payable' | 'bond')[];
  view: (line: Lines[number]) => View;
}

type LinesQuery = PageQuery & {
  since?: string;
  until?: string;
  entry_type?: EntryType;
  view?: 'all' | 'net';
};

/** The entries that add up to nothing when a call has ended. */
const HOLDS: ReadonlySet<EntryType> = new Set(['invocation_hold', 'invocation_release', 'refund']);

/** A page of a user's wallet lines of one call, newest first. A call has a handful. */
function pageOfCall(ledger: LedgerService, userId: string, invocationId: string, query: LinesQuery) {
  const { entry_type: entryType, since, until, view = 'all' } = query;
  const from = optionalInstantOf('since', since);
  const to = optionalInstantOf('until', until);
  return listPage(
    {
      list: ['ledger', userId, entryType, since, until, view, invocationId],
      position: ENTRY_POSITION,
      query,
    },
    async ([beforeId], limit) => {
      const all = await ledger.linesOfCall(userId, invocationId);
      const chosen = all.filter(
        (line) =>
          (entryType === undefined || line.entryType === entryType) &&
          (view === 'all' || !HOLDS.has(line.entryType)) &&
          (from === undefined || line.createdAt >= from) &&
          (to === undefined || line.createdAt < to),
      );
      const rest = chosen.filter(
        ({ entryId }) => beforeId === undefined || BigInt(entryId) < BigInt(beforeId),
      );
      return { rows: rest.slice(0, limit), total: chosen.length };
    },
    { position: ({ entryId }) => [entryId], view: walletLineView },
  );
}

/** A page of a user's ledger lines, newest first. */
function pageOfLines<View>(
  ledger: LedgerService,
  { list, userId, accounts, view }: LinesOf<View>,
  query: LinesQuery,
) {
  const { since, until, entry_type: entryType } = query;
  const isNet = query.view === 'net';
  const filter = {
    userId,
    accounts,
    entryType,
    since: optionalInstantOf('since', since),
    until: optionalInstantOf('until', until),
    isNet,
  };
  return listPage(
    { list: [list, userId, entryType, since, until, isNet], position: ENTRY_POSITION, query },
    async ([beforeEntryId], limit) => {
      const { scannedTo, ...found } = await ledger.lines({ ...filter, beforeEntryId, limit });
      return { ...found, reached: scannedTo === undefined ? undefined : [scannedTo] };
    },
    { position: ({ entryId }) => [entryId], view },
  );
}
