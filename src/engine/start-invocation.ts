import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { MarketError } from '../domain/errors';
import type { InvocationWorkflowInput } from '../domain/calls/invocation-steps';
import type { invocation } from '../workflows/invocation';
import { createCircuitBreaker } from './engine-health';
import { withDeadline } from './deadline';
import { CALL_DETAILS } from '../domain/flow-details';
import { creditsText } from '../domain/ledger/money';

const START_DEADLINE_MS = 1_500;
/**
 * Limits of concurrent starts. Without them, a burst of one buyer's calls would delay every buyer's start beyond its
 * deadline, and the circuit breaker would open for all of them.
 */
export const STARTS = {
  slots: 16,
  /**
   * A pending call without a hold is swept after 15 s (`PENDING_LEASE_MS`), so a start must give up well before that.
   */
  patienceMs: 8_000,
  late: () => new MarketError('engine_unavailable'),
};

export const AGENT_ID = defineSearchAttributeKey('AgentId', SearchAttributeType.KEYWORD);
export const BUYER_ID = defineSearchAttributeKey('BuyerId', SearchAttributeType.KEYWORD);

export interface InvocationStarter {
  /** False while the engine is known to be unreachable. Check this before accepting a call. */
  available(): boolean;
  /**
   * Starts `invocation/<id>` eagerly; concurrent starts are served round-robin by buyer. Returns true when this process
   * received the workflow's first task. Throws `engine_unavailable` when no slot became free within 8 s, or when the
   * engine did not confirm within 1.5 s after that. The workflow may run nevertheless, so the caller must fail the
   * pending row conditionally.
   */
  start(input: InvocationWorkflowInput, about: InvocationSummary): Promise<boolean>;
  /** Counts since the process started. `declined` counts confirmed starts whose first task went to another process. */
  counts(): StartCounts;
  /** True while the circuit breaker is open because the engine did not answer. */
  isBreakerOpen(): boolean;
}

export interface StartCounts {
  confirmed: number;
  declined: number;
  failed: number;
}

/** Description of a call in Temporal's UI, for operators. */
export interface InvocationSummary {
  agentId: string;
  buyerUserId: string;
  priceCredits: number;
}

export interface InvocationStarterDeps {
  client: () => Client | undefined;
  taskQueue: string;
  eager: boolean;
  /** Slots for concurrent starts (`STARTS`), fair between keys. */
  slots: { run<T>(key: string, work: () => Promise<T>): Promise<T> };
  /** Called after each start attempt, with its duration. */
  onEnd: (result: 'confirmed' | 'failed', seconds: number) => void;
  /** Type name of the workflow. Only the benchmark overrides it. */
  workflowType?: string;
}

/** Creates a starter with a deadline and a circuit breaker, so that an unreachable engine does not delay callers. */
export function createInvocationStarter(deps: InvocationStarterDeps): InvocationStarter {
  const breaker = createCircuitBreaker({ threshold: 3, silentMs: START_DEADLINE_MS, openMs: 2_000 });
  const workflowType = (deps.workflowType ?? 'invocation') as unknown as typeof invocation;

  const counts: StartCounts = { confirmed: 0, declined: 0, failed: 0 };

  async function startWorkflow(client: Client, input: InvocationWorkflowInput, about: InvocationSummary) {
    const handle = await client.workflow.start(workflowType, {
      workflowId: `invocation/${input.invocationId}`,
      taskQueue: deps.taskQueue,
      args: [input],
      requestEagerStart: deps.eager,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `${about.agentId} for ${about.buyerUserId}, ${creditsText(about.priceCredits)}`,
      staticDetails: CALL_DETAILS,
      typedSearchAttributes: [
        { key: AGENT_ID, value: about.agentId },
        { key: BUYER_ID, value: about.buyerUserId },
      ],
    });
    counts.confirmed += 1;
    if (deps.eager && !handle.eagerlyStarted) counts.declined += 1;
    return handle.eagerlyStarted;
  }

  async function startNow(input: InvocationWorkflowInput, about: InvocationSummary): Promise<boolean> {
    const client = deps.client();
    if (!client || !breaker.tryPass()) throw new MarketError('engine_unavailable');
    const startedAt = performance.now();
    const end = (result: 'confirmed' | 'failed') =>
      deps.onEnd(result, (performance.now() - startedAt) / 1_000);
    try {
      const isHere = await withDeadline(client, START_DEADLINE_MS, () => startWorkflow(client, input, about));
      breaker.succeeded();
      end('confirmed');
      return isHere;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) {
        breaker.succeeded();
        return false;
      }
      breaker.failed();
      counts.failed += 1;
      end('failed');
      throw new MarketError('engine_unavailable', { cause: error });
    }
  }

  return {
    counts: () => ({ ...counts }),
    isBreakerOpen: () => breaker.isOpen,
    available: () => deps.client() !== undefined && !breaker.isOpen,
    start: (input, about) => deps.slots.run(about.buyerUserId, () => startNow(input, about)),
  };
}
