/** Metrics of the whole service, which every worker reads from Postgres when it is scraped. */
import { unitsToCredits } from '../domain/ledger/money';
import type { ReadFigure, Reading } from '../kit/metrics';
import type { BacklogReader } from '../services/operations/backlog';
import type { Backlog, Waiting } from '../stores/operations/backlog';
import type { MoneyWatch } from '../stores/operations/money-watch';

/** What waits, by status. */
export function backlogFigures(backlog: BacklogReader): ReadFigure[] {
  const figure = figuresOf<Backlog>(() => backlog.read());
  const queue = (name: string, what: string, of: (now: Backlog) => Waiting): ReadFigure[] => [
    figure(`market_${name}_waiting`, what, (now) => [{ value: of(now).count }]),
    figure(`market_${name}_oldest_seconds`, `Age of the oldest of these: ${lower(what)}`, (now) => [
      { value: of(now).oldestSeconds },
    ]),
  ];
  return [
    {
      kind: 'gauge',
      name: 'market_database_up',
      help: '1 when Postgres answers this process',
      read: () =>
        backlog.read().then(
          () => [{ value: 1 }],
          () => [{ value: 0 }],
        ),
    },
    figure(
      'market_calls_open',
      'Open calls of all processes',
      ({ calls }) =>
        calls.map(({ status, surface, count }) => ({ labels: { status, surface }, value: count })),
      ['status', 'surface'],
    ),
    figure('market_holds_overdue', 'Holds whose lease has expired; the lease sweep resolves them', (now) => [
      { value: now.holds.overdue },
    ]),
    figure('market_holds_overdue_seconds', 'Time since the first of these leases expired', (now) => [
      { value: now.holds.overdueSeconds },
    ]),
    ...queue('deliveries', 'Deliveries in the outbox that are not started', (now) => now.deliveries),
    ...queue('verifications', 'Versions whose verification is not decided', (now) => now.versions),
    ...queue(
      'tool_lists',
      'Changed lists of tools whose verification is not decided',
      (now) => now.toolLists,
    ),
    ...queue('mails', 'Mails that are due', (now) => now.mails),
    ...queue('x402_payments', 'Payments by x402 that are over and not decided', (now) => now.x402),
    ...queue('x402_refunds', 'Refunds to paying addresses that are on their way', (now) => now.x402Refunds),
    ...queue('erasures', 'Deletions of accounts whose erasure has begun', (now) => now.erasures),
    ...queue(
      'deletions_blocked',
      'Confirmed deletions of accounts that something blocks',
      (now) => now.blockedDeletions,
    ),
    ...queue('exports', 'Exports of accounts that are not written', (now) => now.exports),
    figure('market_exports_failed', 'Exports of accounts that failed within the last 24 hours', (now) => [
      { value: now.failedExports },
    ]),
    ...caseFigures(figure),
    figure(
      'market_partitions_ahead',
      'Months after this one that every large table has a partition for',
      (now) => [{ value: now.partitions.ahead }],
    ),
    figure('market_partitions_strays', 'Large tables with rows that no month covers', (now) => [
      { value: now.partitions.strays },
    ]),
  ];
}

/** Payouts, cases and payments that wait for an operator or for a bank. */
function caseFigures(figure: ReturnType<typeof figuresOf<Backlog>>): ReadFigure[] {
  const payouts = (of: (group: Backlog['payouts'][number]) => number) => (now: Backlog) =>
    now.payouts.map((group) => ({ labels: { status: group.status }, value: of(group) }));
  const cases = (of: (group: Backlog['cases'][number]) => number) => (now: Backlog) =>
    now.cases.map((group) => ({ labels: { kind: group.kind, status: group.status }, value: of(group) }));
  return [
    figure(
      'market_payouts_open',
      'Payouts that are not settled',
      payouts(({ count }) => count),
      ['status'],
    ),
    figure(
      'market_payouts_oldest_seconds',
      'Age of the oldest of these payouts',
      payouts(({ oldestSeconds }) => oldestSeconds),
      ['status'],
    ),
    figure(
      'market_cases_open',
      'Undecided disputes and slashes',
      cases(({ count }) => count),
      ['kind', 'status'],
    ),
    figure(
      'market_cases_oldest_seconds',
      'How long the oldest of these cases has had its status',
      cases(({ oldestSeconds }) => oldestSeconds),
      ['kind', 'status'],
    ),
    figure('market_payments_quarantined', 'Payments that need a decision of an operator', (now) => [
      { value: now.quarantine.count },
    ]),
    figure('market_payments_quarantined_oldest_seconds', 'Age of the oldest of these payments', (now) => [
      { value: now.quarantine.oldestSeconds },
    ]),
    figure(
      'market_auto_topups_pending',
      'Automatic top-ups whose end the payment provider has not reported',
      (now) => [{ value: now.autoTopups.count }],
    ),
    figure('market_auto_topups_oldest_seconds', 'Age of the oldest of these top-ups', (now) => [
      { value: now.autoTopups.oldestSeconds },
    ]),
  ];
}

/** What money hangs on: clearing accounts, Mondays, seals, checks, and the exchange rate. */
export function moneyFigures(backlog: BacklogReader): ReadFigure[] {
  const figure = figuresOf<MoneyWatch>(() => backlog.money());
  return [
    figure(
      'market_clearing_credits',
      'Credits on their way: topup_clearing is empty after each top-up, payout_clearing holds unsettled payouts',
      ({ clearing }) =>
        clearing.map(({ account, units }) => ({ labels: { account }, value: unitsToCredits(units) })),
      ['account'],
    ),
    figure(
      'market_clearing_oldest_seconds',
      'How long the oldest of these credits have waited; 0 when the account is empty',
      ({ clearing }) =>
        clearing.map(({ account, oldestSeconds }) => ({ labels: { account }, value: oldestSeconds })),
      ['account'],
    ),
    figure(
      'market_monday_late_seconds',
      'Time since the oldest Monday whose payout run has not ended; 0 if there is none',
      ({ mondayLateSeconds }) => [{ value: mondayLateSeconds }],
    ),
    figure(
      'market_ledger_unsealed_seconds',
      'Time since the end of the oldest day of the ledger that should be sealed and published; 0 if there is none',
      ({ unsealedSeconds }) => [{ value: unsealedSeconds }],
    ),
    figure(
      'market_ledger_check_age_seconds',
      'Time since the last `market ledger check`; absent before the first',
      ({ check }) => (check ? [{ value: check.ageSeconds }] : undefined),
    ),
    figure(
      'market_ledger_check_failed_proofs',
      'Proofs that failed in the last `market ledger check`; absent before the first',
      ({ check }) => (check ? [{ value: check.failed }] : undefined),
    ),
    figure(
      'market_exchange_rate_age_seconds',
      'Age of the newest rate from USD to INR; absent without a rate',
      ({ rateAgeSeconds }) => (rateAgeSeconds === null ? undefined : [{ value: rateAgeSeconds }]),
    ),
  ];
}

/** Gauges that are absent from a scrape while Postgres is down, or while `read` returns undefined. */
function figuresOf<Now>(now: () => Promise<Now>) {
  return (
    name: string,
    help: string,
    read: (now: Now) => Reading[] | undefined,
    labelNames: string[] = [],
  ): ReadFigure => ({
    kind: 'gauge',
    name,
    help,
    labelNames,
    read: async () => {
      const readings = read(await now());
      if (readings === undefined) throw new Error('there is no such figure');
      return readings;
    },
  });
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
