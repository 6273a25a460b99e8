import { unitsToCredits } from '../../../domain/ledger/money';
import type {
  LedgerLine,
  MarketFigures,
  Movement,
  OperatorCallRow,
  Overview,
  Subject,
} from '../../../services/operations/overview';

export function subjectView(subject: Subject) {
  return {
    kind: subject.kind,
    id: subject.id,
    user_id: subject.userId,
    invocation_id: subject.invocationId,
    title: subject.title,
  };
}

export function accountMovementView(line: LedgerLine) {
  return {
    transaction_id: line.transactionId,
    account: line.account,
    entry_type: line.entryType,
    credits: unitsToCredits(line.amountUnits),
    balance_after_credits: unitsToCredits(line.balanceAfterUnits),
    description: line.description,
    invocation_id: line.invocationId,
    created_at: line.createdAt.toISOString(),
  };
}

function callMovementView(movement: Movement) {
  return {
    transaction_id: movement.transactionId,
    account: movement.account,
    user_id: movement.userId,
    entry_type: movement.entryType,
    credits: unitsToCredits(movement.amountUnits),
    description: movement.description,
    invocation_id: movement.invocationId,
    created_at: movement.createdAt.toISOString(),
  };
}

const instant = (value: string) => new Date(value).toISOString();

export function operatorCallView({ call, movements }: { call: OperatorCallRow; movements: Movement[] }) {
  const { hold, invoked_at: invokedAt, settled_at: settledAt, ...fields } = call;
  return {
    ...fields,
    invoked_at: invokedAt.toISOString(),
    settled_at: settledAt?.toISOString() ?? null,
    hold: hold && {
      state: hold.state,
      credits: unitsToCredits(hold.amount_units),
      held_at: instant(hold.created_at),
      forwarded_at: hold.forwarded_at === null ? null : instant(hold.forwarded_at),
      forwards: hold.forward_count,
      lease_until: instant(hold.lease_until),
    },
    workflow_id: `invocation/${call.invocation_id}`,
    movements: movements.map(callMovementView),
  };
}

export function platformView(
  { queues, holds, schema, ledger, workers }: Awaited<ReturnType<Overview['platform']>>,
  workflowsUrl: string | null,
) {
  const waiting = ({ count, oldestSeconds }: { count: number; oldestSeconds: number }) => ({
    count,
    oldest_seconds: Math.max(0, Math.round(oldestSeconds)),
  });
  return {
    queues: {
      deliveries: waiting(queues.deliveries),
      verifications: waiting(queues.versions),
      payments_quarantined: waiting(queues.quarantine),
      mails: waiting(queues.mails),
      holds_overdue: waiting({ count: queues.holds.overdue, oldestSeconds: queues.holds.overdueSeconds }),
      calls: queues.calls,
      payouts: queues.payouts.map(({ status, ...group }) => ({ status, ...waiting(group) })),
      cases: queues.cases.map(({ kind, status, ...group }) => ({ kind, status, ...waiting(group) })),
    },
    open_holds: holds.map((hold) => ({
      invocation_id: hold.invocation_id,
      agent_id: hold.agent_id,
      credits: unitsToCredits(hold.amount_units),
      held_at: instant(hold.created_at),
      lease_until: instant(hold.lease_until),
      job: hold.job && {
        ends_at: instant(hold.job.ends_at),
        heard_at: instant(hold.job.heard_at),
        waits_for: hold.job.waits_for,
      },
    })),
    schema,
    partitions: { months_ahead: queues.partitions.ahead, strays: queues.partitions.strays },
    ledger: {
      sealed_through: ledger.sealed,
      proven_through: ledger.proven,
      proven_at: ledger.provenAt === null ? null : instant(ledger.provenAt),
    },
    workers: workers.map(({ worker, reportedAt, isAlive, failing }) => ({
      worker,
      last_seen_at: reportedAt.toISOString(),
      alive: isAlive,
      failing_loops: failing,
    })),
    workflows_url: workflowsUrl,
  };
}

function marketSumsView({ sums, newAccounts }: MarketFigures) {
  return {
    calls: sums.calls,
    failed: sums.failed,
    agent_errors: sums.agentErrors,
    p95_ms: sums.p95Ms,
    jobs: { count: sums.jobs.count, p50_ms: sums.jobs.p50Ms, p95_ms: sums.jobs.p95Ms },
    volume_credits: unitsToCredits(sums.grossUnits),
    fees_credits: unitsToCredits(sums.feeUnits),
    refunded_credits: unitsToCredits(sums.refundedUnits),
    new_accounts: newAccounts,
  };
}

const partView = ({ calls, failed, grossUnits }: MarketFigures['parts'][number]) => ({
  calls,
  failed,
  volume_credits: unitsToCredits(grossUnits),
});

export function marketFiguresView({
  asOf,
  hour,
  month,
  openCalls,
}: Awaited<ReturnType<Overview['figures']>>) {
  return {
    as_of: asOf.toISOString(),
    last_hour: {
      ...marketSumsView(hour),
      minutes: hour.parts.map((part) => ({ at: part.at, ...partView(part) })),
    },
    last_30_days: {
      ...marketSumsView(month),
      days: month.parts.map((part) => ({ date: part.at, ...partView(part) })),
    },
    open_calls: openCalls,
  };
}
