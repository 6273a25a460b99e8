/**
 * The verification of one agent, for its whole life: one run at a time, after each trigger and at the latest some
 * days after the last run (specification, "Agent verification and visibility"). Triggers that arrive during a run
 * cause one more run. The database decides which version a run verifies when the run begins. Between runs the agent is
 * re-probed at random times; an agent that answers differently than in its last run causes a run.
 */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { VerificationActivities } from '../activities/verification';
import {
  type AgentVerificationInput,
  probeQueue,
  REPROBE_AFTER_DAYS,
  REPROBE_GROWTH,
  type ReprobeClock,
  type RunOutcome,
  rerunsServing,
  type VerificationState,
  type VerificationTriggerSignal,
} from '../domain/verification/verification';
import { type Details, nextOf, show, timerSummary } from './details';
import { verificationRun } from './verification-run';
import { verificationRunDetails } from '../domain/flow-details';

export const triggerSignal = defineSignal<[VerificationTriggerSignal]>('trigger');
export const stateQuery = defineQuery<VerificationState>('state');

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Wait after a run that failed by a fault of the service. */
const RETRY_AFTER_FAULT_MS = 60 * 60 * 1_000;
const MAX_HISTORY_EVENTS = 2_000;

/** Runs in a process that makes buyers' calls. */
const probing = () =>
  proxyActivities<VerificationActivities>({
    taskQueue: probeQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '30 minutes',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '5s', maximumAttempts: 3 },
  });

interface Inbox {
  trigger: VerificationTriggerSignal | undefined;
}

export async function agentVerification(input: AgentVerificationInput): Promise<void> {
  const inbox: Inbox = { trigger: input.pending };
  const state: VerificationState = {
    phase: 'waiting',
    runs: 0,
    reason: null,
    reprobes: 0,
    lastOutcome: null,
    until: null,
    next: 'waits for its first trigger',
  };
  setHandler(triggerSignal, (trigger) => {
    inbox.trigger = mergeTriggers(inbox.trigger, trigger);
  });
  setHandler(stateQuery, () => state);

  let waitMs = input.firstWaitMs ?? input.reverifyAfterDays * DAY_MS;
  for (;;) {
    await waitForRun(input, waitMs, inbox, state);
    const outcome = await nextRun(input.agentId, inbox, state);
    if (outcome === 'retired' && inbox.trigger === undefined) return;
    waitMs = outcome === 'faulted' ? RETRY_AFTER_FAULT_MS : waitAfterRun(input);
    if (isLong()) await startOver(input, inbox.trigger, waitMs);
  }
}

/** The date of the next run is random, so that the agent does not know it. The report names the latest date. */
function waitAfterRun({ reverifyAfterDays, reprobes }: AgentVerificationInput): number {
  const share = reprobes ? 0.5 + Math.random() / 2 : 1;
  return Math.round(reverifyAfterDays * share * DAY_MS);
}

/**
 * Waits for a trigger or for `waitMs`, with re-probes meanwhile. `Math.random` repeats in every replay of a workflow.
 */
async function waitForRun(
  { agentId, reprobes }: AgentVerificationInput,
  waitMs: number,
  inbox: Inbox,
  state: VerificationState,
): Promise<void> {
  const until = Date.now() + waitMs;
  showWait(agentId, state, until);
  for (let made = 0; inbox.trigger === undefined; made += 1) {
    const leftMs = until - Date.now();
    const pauseMs = pauseBefore(made, reprobes);
    if (leftMs <= 0) return;
    const summary = pauseMs < leftMs ? 'next re-probe' : timerSummary('next verification', until).summary;
    const wasAsked = await condition(() => inbox.trigger !== undefined, Math.min(leftMs, pauseMs), {
      summary,
    });
    if (wasAsked || pauseMs >= leftMs) return;
    const behaves = await probeAgain(agentId);
    state.reprobes += 1;
    showWait(agentId, state, until);
    if (!behaves) inbox.trigger ??= { reason: 'behaviour' };
  }
}

/** What an operator on call needs to know between two runs. The dates of re-probes stay unknown, also here. */
function showWait(agentId: string, state: VerificationState, untilMs: number): void {
  const { runs, lastOutcome, reprobes } = state;
  enter(state, {
    state: `Waits for a trigger. ${runs} ${runs === 1 ? 'run' : 'runs'} so far, the last ended with ${lastOutcome ?? 'nothing yet'}; ${reprobes} ${reprobes === 1 ? 're-probe' : 're-probes'}`,
    untilMs,
    then: 'the agent is verified again',
    operator: [`\`market trust ${agentId}\` shows the report`],
    api: [`GET /v1/agents/${agentId}/trust-report`],
  });
}

/** Shows what the workflow does now, on its page and in its query. */
function enter(state: VerificationState, details: Details): void {
  Object.assign(state, nextOf(details));
  show(details);
}

/** The pause before the re-probe after `made` others, in ms: it grows from the first range to the later one. */
function pauseBefore(made: number, clock: ReprobeClock | undefined): number {
  const { min, max } = clock?.laterDays ?? REPROBE_AFTER_DAYS;
  const later = Math.round((min + Math.random() * (max - min)) * DAY_MS);
  if (!clock) return later;
  const { firstMs } = clock;
  const first = firstMs.min + Math.random() * (firstMs.max - firstMs.min);
  return Math.min(later, Math.round(first * REPROBE_GROWTH ** made));
}

/**
 * False for an agent that answers differently than in its run, or no longer does; true when the service itself failed.
 */
async function probeAgain(agentId: string): Promise<boolean> {
  try {
    const { kind } = await probing().reprobeAgent.executeWithOptions({ summary: `re-probe of ${agentId}` }, [
      { agentId, reprobeId: uuid4() },
    ]);
    return kind !== 'differing' && kind !== 'recovered';
  } catch (error) {
    if (isCancellation(error)) throw error;
    return true;
  }
}

/** One run for all triggers so far. */
async function nextRun(
  agentId: string,
  inbox: Inbox,
  state: VerificationState,
): Promise<RunOutcome['kind'] | 'faulted'> {
  const trigger = inbox.trigger ?? { reason: 'scheduled' };
  inbox.trigger = undefined;
  state.phase = 'running';
  state.reason = trigger.reason;
  enter(state, {
    state: `Verifies the agent; reason: ${trigger.reason}`,
    then: 'waits for the next trigger',
    api: [`GET /v1/agents/${agentId}/trust-report`],
  });
  const outcome = await run(agentId, trigger);
  state.lastOutcome = outcome;
  state.runs += 1;
  state.phase = 'waiting';
  return outcome;
}

function startOver(
  input: AgentVerificationInput,
  pending: VerificationTriggerSignal | undefined,
  firstWaitMs: number,
): Promise<never> {
  const { pending: _served, ...terms } = input;
  return continueAsNew<typeof agentVerification>({ ...terms, firstWaitMs, ...(pending && { pending }) });
}

/** Merges two triggers into one that serves both. */
function mergeTriggers(
  earlier: VerificationTriggerSignal | undefined,
  later: VerificationTriggerSignal,
): VerificationTriggerSignal {
  return earlier && rerunsServing(earlier.reason) && !rerunsServing(later.reason)
    ? { ...later, reason: earlier.reason }
    : later;
}

async function run(
  agentId: string,
  { reason }: VerificationTriggerSignal,
): Promise<RunOutcome['kind'] | 'faulted'> {
  const runId = `ver_${uuid4().replaceAll('-', '')}`;
  try {
    const outcome = await executeChild(verificationRun, {
      workflowId: `verification/${agentId}/${runId}`,
      args: [{ agentId, runId, reason }],
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      staticSummary: `${agentId}, ${reason}`,
      staticDetails: verificationRunDetails(agentId, runId, reason),
    });
    return outcome.kind;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return 'faulted';
  }
}

function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > MAX_HISTORY_EVENTS;
}
