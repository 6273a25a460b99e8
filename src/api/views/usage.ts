import { callFault } from '../../domain/calls/call-fault';
import { refusesInput } from '../../domain/calls/failure-facts';
import { successRate } from '../../domain/catalogue/usage';
import { unitsToCredits } from '../../domain/ledger/money';
import type { AgentCall, Figures, UsageService } from '../../services/catalogue/usage';
import { callErrorView } from './calls';
import { callFactsView } from './disputes';

export function agentUsageView(usage: Awaited<ReturnType<UsageService['usage']>>) {
  return {
    agent_id: usage.agentId,
    since: usage.since.toISOString(),
    calls: usage.calls,
    succeeded: usage.succeeded,
    failed: usage.failed,
    disputed: usage.disputed,
    agent_errors: usage.agentErrors,
    refunded_credits: unitsToCredits(usage.refundedUnits),
    gross_credits: unitsToCredits(usage.grossUnits),
    developer_earnings_credits: unitsToCredits(usage.netUnits),
    platform_fee_credits: unitsToCredits(usage.feeUnits),
  };
}

export function analyticsView(analytics: Awaited<ReturnType<UsageService['analytics']>>) {
  const { agentId, since, until, total, days, errors } = analytics;
  return {
    agent_id: agentId,
    since: since.toISOString(),
    until: until.toISOString(),
    ...figuresView(total),
    days: days.map((day) => ({
      date: day.date,
      ...figuresView(day),
      developer_earnings_credits: unitsToCredits(day.netUnits),
    })),
    errors,
  };
}

/** How long the jobs of an agent took, which stand apart from its other calls. */
export function jobDurationsView({ count, p50Ms, p95Ms }: Figures['jobs']) {
  return { count, p50_ms: p50Ms, p95_ms: p95Ms };
}

function figuresView(figures: Figures) {
  return {
    calls: figures.calls,
    succeeded: figures.succeeded,
    failed: figures.failed,
    disputed: figures.disputed,
    agent_errors: figures.agentErrors,
    success_rate: successRate(figures),
    p50_ms: figures.p50Ms,
    p95_ms: figures.p95Ms,
    jobs: jobDurationsView(figures.jobs),
  };
}

/** What all agents of a developer sold. */
export function salesView({ total, days, agents }: Awaited<ReturnType<UsageService['sales']>>) {
  return {
    ...soldView(total),
    days: days.map((day) => ({ date: day.date, ...soldView(day) })),
    agents: agents.map((one) => ({ agent_id: one.agentId, display_name: one.displayName, ...soldView(one) })),
  };
}

function soldView({ calls, failed, netUnits }: { calls: number; failed: number; netUnits: number }) {
  return { calls, failed, developer_earnings_credits: unitsToCredits(netUnits) };
}

/** Whether the agent refused what the call contained, so that the call is no error of the agent. */
const hasRefusedInput = ({ errorCode, failure }: AgentCall) =>
  errorCode === 'agent_error' && refusesInput(failure?.status ?? 0);

/** A call as the developer of its agent sees it: without its buyer, its input and its output. */
export function agentCallView(call: AgentCall) {
  const { status, errorCode } = call;
  const hasFailed = status === 'failed' || status === 'disputed';
  return {
    ...callFactsView(call),
    ...(errorCode === 'output_schema_mismatch' && { schema_valid: false }),
    invocation_id: call.invocationId,
    status,
    error: callErrorView(errorCode, unitsToCredits(call.chargedUnits)),
    // A charge that a dispute took back has no code.
    agent_error:
      hasFailed && !hasRefusedInput(call) && (errorCode === null || callFault(errorCode) === 'agent'),
    trace_id: call.traceId,
    failure: call.failure && {
      phase: call.failure.phase,
      http_status: call.failure.status,
      schema_path: call.failure.schemaPath,
      problem: call.failure.problem,
    },
  };
}
