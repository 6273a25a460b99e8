/** Follows a call of a buyer at one agent: each of its states, until it has ended. */
import { isFinal } from '../../../domain/calls/invocation-state';
import { MarketError } from '../../../domain/errors';
import type { TaskMark, TaskWatch } from '../../../services/a2a/a2a-task-watch';
import type { CallWaits } from '../../../services/calls/call-waits';
import type { InvocationViews, InvocationWithOutput } from '../../../services/calls/invocation-views';

export interface TaskFollowDeps {
  invocationViews: Pick<InvocationViews, 'get' | 'list'>;
  taskWatch: Pick<TaskWatch, 'next'>;
  callWaits: Pick<CallWaits, 'enter' | 'untilEnd' | 'cancel'>;
}

/** The buyer, and the agent whose calls are visible at an address; undefined for those of all agents. */
export interface CallScope {
  buyerUserId: string;
  agentId: string | undefined;
}

const TASK_ID = /^inv_[0-9a-f]{32}$/;
/** How long one wait for the end of a call that is no job takes. */
const LOOK_MS = 60_000;
const UNSEEN: TaskMark = { seq: 0, heardAtMs: 0 };

/** Reads a call. Throws `not_found` for the calls of other buyers and of other agents. */
export async function readCallOf(
  { invocationViews }: Pick<TaskFollowDeps, 'invocationViews'>,
  { buyerUserId, agentId }: CallScope,
  taskId: unknown,
): Promise<InvocationWithOutput> {
  if (typeof taskId !== 'string' || !TASK_ID.test(taskId)) throw new MarketError('not_found');
  const call = await invocationViews.get(buyerUserId, taskId);
  if (agentId !== undefined && call.agentId !== agentId) throw new MarketError('not_found');
  return call;
}

/** Yields a call as it is, and whenever it has changed, until it has ended or the signal aborts. */
export async function* statesOf(
  deps: TaskFollowDeps,
  scope: CallScope,
  taskId: string,
  signal: AbortSignal,
): AsyncGenerator<InvocationWithOutput, void, undefined> {
  let mark = UNSEEN;
  for (;;) {
    // How far the call is, before it is read: what changes meanwhile is read again.
    const call = await readCallOf(deps, scope, taskId);
    yield call;
    if (isFinal(call.status) || signal.aborted) return;
    if (call.isTask) ({ mark } = await deps.taskWatch.next(taskId, mark, signal));
    else await deps.callWaits.untilEnd(scope.buyerUserId, taskId, { waitMs: LOOK_MS, gone: signal });
    if (signal.aborted) return;
  }
}
