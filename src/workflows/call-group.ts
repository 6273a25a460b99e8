/**
 * Calls that were accepted at about the same time (docs/life-of-a-call.md#who-drives-it; ADR 0065). Their steps run in
 * the process that accepted them. Most have ended when their group begins, and say how; about the others, this workflow
 * asks that process. A call that has not ended within a few seconds, or whose process is gone, leaves the group for a
 * workflow of its own (`invocation/<id>`), which drives it to its end. The rows of each call decide, so no member
 * touches another.
 */
import {
  CancellationScope,
  isCancellation,
  ParentClosePolicy,
  proxyLocalActivities,
  sleep,
  startChild,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { GroupActivities, RefundActivities } from '../activities/invocation';
import type { CallGroupInput, CallGroupResult, GroupMember, MemberEnd } from '../domain/calls/call-group';
import type { invocation } from './invocation';
import { show } from './details';
import { groupDetails } from './group-details';
import { MONEY_STEP } from './invocation-endings';
import { CALL_DETAILS } from '../domain/flow-details';
import { creditsText } from '../domain/ledger/money';

const FIRST_MS = 1_000;
/** A call that takes longer leaves its group. */
const REST_MS = 3_000;

const calls = proxyLocalActivities<GroupActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '200ms', maximumInterval: '2s' },
});
const money = proxyLocalActivities<RefundActivities>(MONEY_STEP);

export async function callGroup(input: CallGroupInput): Promise<CallGroupResult> {
  const { members } = input;
  const known = members.flatMap(({ invocationId, end }) => (end ? [{ invocationId, ...end }] : []));
  const running = members.filter(({ end }) => end === undefined);
  const ends =
    running.length === 0 ? known : inOrder(members, [...known, ...(await endAll(input, running, known))]);
  show(groupDetails(members, ends));
  const codes = new Set(ends.flatMap((end) => ('code' in end && end.code ? [end.code] : [])));
  if (codes.size > 0) upsertSearchAttributes({ Outcome: [[...codes].sort().join(' ')] });
  return { calls: ends };
}

/** How the members that run have ended. Those that take long leave the group. */
async function endAll(
  input: CallGroupInput,
  running: readonly GroupMember[],
  known: readonly MemberEnd[],
): Promise<MemberEnd[]> {
  const ids = running.map(({ invocationId }) => invocationId);
  show(groupDetails(input.members, known));
  try {
    const ends = await follow(ids);
    const open = running.filter((_member, at) => ends[at]?.status === 'open');
    await Promise.all(open.map((member) => leave(input, member)));
    return ends;
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return CancellationScope.nonCancellable(() => refundAll(ids));
  }
}

function inOrder(members: readonly GroupMember[], ends: readonly MemberEnd[]): MemberEnd[] {
  const endOf = new Map(ends.map((end) => [end.invocationId, end]));
  return members.flatMap(({ invocationId }) => endOf.get(invocationId) ?? []);
}

/** How the calls ended within a few seconds. A cancellation arrives between workflow tasks, so a timer divides them. */
async function follow(ids: string[]): Promise<MemberEnd[]> {
  const ends = await calls.followCalls(ids, FIRST_MS);
  if (ends.every(({ status }) => status !== 'open')) return ends;
  await sleep(REST_MS);
  return calls.followCalls(ids, 0);
}

/** An operator cancelled the group: members that have not ended are refunded. The rows of the others do not change. */
function refundAll(ids: string[]): Promise<MemberEnd[]> {
  return Promise.all(
    ids.map(async (invocationId) => {
      const { outcome } = await money.refund(invocationId, 'engine_unavailable');
      return { invocationId, ...outcome };
    }),
  );
}

async function leave({ ownerQueue }: CallGroupInput, member: GroupMember): Promise<void> {
  const { invocationId, timeoutMs, traceId, agentId, buyerUserId, priceCredits } = member;
  try {
    await startChild<typeof invocation>('invocation', {
      workflowId: `invocation/${invocationId}`,
      args: [{ invocationId, timeoutMs, traceId, priceCredits, ownerQueue }],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `${agentId} for ${buyerUserId}, ${creditsText(priceCredits)}`,
      staticDetails: CALL_DETAILS,
      searchAttributes: { AgentId: [agentId], BuyerId: [buyerUserId] },
    });
  } catch (error) {
    // A fault of one of its steps gave the call a workflow of its own before.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
