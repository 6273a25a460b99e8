/** Calling an agent with retries, within the deadline and the budget of the call. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OF_THE_MOMENT } from '../../../domain/calls/failure-facts';
import { timeBudgetMs } from '../../../domain/catalogue/pricing';
import type { ErrorCode } from '../../../domain/errors';
import type { AnswerReview } from '../answers/answer-task';
import type { AgentAnswer, TakenAnswer } from './agent-answer';
import type { AgentCaller } from './agent-caller';
import type { OutgoingCall } from './agent-envelope';
import type { InFlightCall } from './in-flight';
import type { StreamMeter } from './metering';

const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 150;
/** Error codes after which another attempt may succeed. */
const WORTH_REPEATING: readonly ErrorCode[] = ['agent_error', 'agent_unreachable'];

/** The facts of a call that its attempts need. A task may become a job. */
export type AttemptedCall = OutgoingCall &
  Pick<InFlightCall, 'free' | 'ceilingCredits' | 'delivery' | 'task' | 'toolCaller'>;

/**
 * Calls an agent, with retries if the agent declares `idempotent: true`: up to 3 attempts within `timeout_ms`, with the
 * same `Idempotency-Key`, and none after a valid answer, a refusal of the request (4xx), or a delivered piece of an
 * answer. The duration of the call is that of the last attempt. A `per_second` call ends as soon as its cost is certain
 * to exceed the ceiling. `review`: what is found out about a large answer in the thread that reads it.
 */
export async function callWithAttempts<C extends AttemptedCall>(
  agents: Pick<AgentCaller, 'call'>,
  metering: { streamMeter(call: C): StreamMeter | null },
  call: C,
  body: Buffer,
  signal: AbortSignal,
  review?: () => AnswerReview,
): Promise<AgentAnswer | TakenAnswer> {
  const endsAt = performance.now() + call.version.timeoutMs;
  const budgetMs = budgetOf(call);
  const attempts = call.version.idempotent ? MAX_ATTEMPTS : 1;
  for (let attempt = 1; ; attempt += 1) {
    const remainingMs = Math.max(1, Math.floor(endsAt - performance.now()));
    const answer = await agents.call(call, body, {
      signal,
      timeoutMs: remainingMs,
      budgetMs,
      mayBeTaken: call.task === true,
      delivery: call.delivery,
      ...(call.toolCaller && { toolCaller: call.toolCaller }),
      meter: metering.streamMeter(call),
      ...(review && { review }),
    });
    const pauseMs = FIRST_PAUSE_MS * 2 ** (attempt - 1);
    if (answer.ok === 'taken') return answer;
    const mayRepeat =
      !answer.delivered && attempt < attempts && !signal.aborted && performance.now() + pauseMs < endsAt;
    if (answer.ok || !mayRepeat || !isWorthRepeating(answer)) return answer;
    await sleep(pauseMs);
  }
}

/** How long a call can run before it costs more than the buyer's ceiling, in ms; null if it never does. */
export function budgetOf({
  free,
  version,
  ceilingCredits,
}: Pick<AttemptedCall, 'free' | 'version' | 'ceilingCredits'>) {
  return free ? null : timeBudgetMs(version.terms, ceilingCredits);
}

function isWorthRepeating({ code, status = 0 }: { code: ErrorCode; status?: number | undefined }): boolean {
  const isRefused = status >= 400 && status < 500 && !OF_THE_MOMENT.has(status);
  return WORTH_REPEATING.includes(code) && !isRefused;
}
