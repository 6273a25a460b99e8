/**
 * How long a client waits for a call (ADR 0310). One that takes tasks gets one when the agent has accepted the call as
 * a job, and at the latest after ten seconds. Any other client waits for the end, and for a job less than the 60 s
 * after which common clients give up; meanwhile it gets progress notifications if it wants them.
 */
import { anySignal } from '../../kit/concurrency/any-signal';
import { JOB_PATIENCE_MS, type Patience } from '../../engine/patience';
import { asyncPreferenceOf } from '../requests/prefer';
import type { McpExchange } from './wire/mcp-request';
import { progressReporter } from './tasks/progress';
import type { PayingCaller } from './notices';
import type { HeldFormDeps } from './tasks/held-forms';
import { asksOnStream, questionSender } from './tasks/questions';
import { type CallScope, statesOf, type TaskFollowDeps } from './tasks/follow';

/** A client that takes tasks waits so long for a result. */
const TASK_PATIENCE_MS = 10_000;
/** A client that sees progress waits so long for a job. */
const PROGRESS_PATIENCE_MS = 50_000;

/** The patience of `tools/call`. `takesTask`: the client can take a task instead of the result. */
export function patienceOf(
  deps: TaskFollowDeps & HeldFormDeps,
  request: McpExchange,
  scope: CallScope,
  takesTask: boolean,
  told?: PayingCaller,
): Patience {
  const { client, req } = request;
  const preferredMs = asyncPreferenceOf(req)?.waitMs;
  return (how, invocationId, ended) => {
    if (takesTask && client.wantsTask) return Promise.resolve();
    const mayLeave = takesTask || preferredMs !== undefined;
    const asked = how === 'accepted' ? untilAsked(deps, request, told, { invocationId, ended }) : undefined;
    // The client waits until the end of a call that is no job, as it always did, or until its server asks.
    if (how === 'accepted' && !mayLeave) return asked;
    const mostMs = preferredMs ?? (takesTask ? TASK_PATIENCE_MS : jobPatienceMs(request));
    const waited = whileWaiting(deps, request, scope, { invocationId, ended, mostMs, takesTask, mayLeave });
    return asked ? Promise.race([asked, waited]) : waited;
  };
}

/** Resolves when the server asks a client that can only be asked by the answer; undefined for any other client. */
function untilAsked(
  { liveForms }: HeldFormDeps,
  { principal: { userId } }: McpExchange,
  told: PayingCaller | undefined,
  call: { invocationId: string; ended: AbortSignal },
): Promise<void> | undefined {
  if (!told?.begun) return undefined;
  told.begun(call);
  const who = { userId, invocationId: call.invocationId };
  return liveForms.next(who, call.ended, { isOwner: true }).then(() => undefined);
}

/** How long the client waits for a job. */
export function jobPatienceMs({ client, reply }: McpExchange): number {
  return client.progressToken !== undefined && reply.streams ? PROGRESS_PATIENCE_MS : JOB_PATIENCE_MS;
}

interface Wait {
  invocationId: string;
  ended: AbortSignal;
  mostMs: number;
  takesTask: boolean;
  /** The client leaves a call that is no job, too. */
  mayLeave: boolean;
}

async function whileWaiting(
  deps: TaskFollowDeps,
  request: McpExchange,
  scope: CallScope,
  { invocationId, ended, mostMs, takesTask, mayLeave }: Wait,
): Promise<void> {
  const over = anySignal(ended, AbortSignal.timeout(mostMs));
  const report = progressReporter(request);
  const ask = questionSender(request, invocationId, false);
  try {
    for await (const call of statesOf(deps, scope, invocationId, over)) {
      if (!call.isTask && !mayLeave) return await aborted(ended);
      if (!call.job) continue;
      if (takesTask) return;
      // A client that cannot be asked on its stream gets the question as its answer.
      if (call.job.question && !asksOnStream(request)) return;
      await ask(call.job.question);
      await report(call.job);
    }
  } catch {
    // What is not known of the call does not end it: its own failure is reported where it is awaited.
  }
  await aborted(over);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
