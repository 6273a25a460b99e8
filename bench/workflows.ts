/** The product's workflow, and for comparison the same four steps as four ordinary activities. */
import { proxyActivities } from '@temporalio/workflow';
import type { InvocationActivities } from '../src/activities/invocation';
import {
  type InvocationOutcome,
  type InvocationWorkflowInput,
  isUndone,
} from '../src/domain/calls/invocation-steps';

export { invocation } from '../src/workflows/invocation';

const steps = proxyActivities<InvocationActivities>({ startToCloseTimeout: '30s' });

export async function ordinaryInvocation(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const held = await steps.holdCredits(input.invocationId);
  if (held.kind === 'resolved') return held.outcome;
  const forwarded = await steps.forwardCall(input.invocationId);
  if (forwarded.kind !== 'answered') return (await steps.refund(input.invocationId, 'agent_error')).outcome;
  const validated = await steps.validateOutput(input.invocationId);
  if (validated.kind !== 'valid') return (await steps.refund(input.invocationId, 'agent_error')).outcome;
  const settled = await steps.settle(input.invocationId);
  return isUndone(settled) ? { status: 'failed' } : settled.outcome;
}
