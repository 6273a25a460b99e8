/**
 * The workflows of calls, with an `Outcome` also on calls that succeed: what docs/internals/temporal.md#outcome leaves
 * out.
 */
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { CallGroupInput, CallGroupResult } from '../../src/domain/calls/call-group';
import type { InvocationOutcome, InvocationWorkflowInput } from '../../src/domain/calls/invocation-steps';
import { callGroup as productGroup } from '../../src/workflows/call-group';
import { invocation as productInvocation } from '../../src/workflows/invocation';

export async function invocation(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const outcome = await productInvocation(input);
  if (outcome.status === 'succeeded') upsertSearchAttributes({ Outcome: [outcome.status] });
  return outcome;
}

export async function callGroup(input: CallGroupInput): Promise<CallGroupResult> {
  const result = await productGroup(input);
  if (result.calls.every(({ status }) => status === 'succeeded'))
    upsertSearchAttributes({ Outcome: ['succeeded'] });
  return result;
}
