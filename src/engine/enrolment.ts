/**
 * Enrols accepted calls in workflows, beside their steps (docs/life-of-a-call.md#who-drives-it; ADRs 0065 and 0236). A
 * call gets a workflow of its own, `invocation/<id>`, at once, as far as `ownPerSecond` goes and the engine keeps up.
 * The other calls gather for up to 400 ms and share one `callGroup` workflow. No caller waits for either.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { CallGroupInput, GroupMember } from '../domain/calls/call-group';
import type { InvocationWorkflowInput } from '../domain/calls/invocation-steps';
import type { Logger } from '../logger';
import type { CallEndings } from '../services/calls/call-follower';
import { beginSpan, spanSink } from '../kit/tracing';
import { withDeadline } from './deadline';
import { startEngineHealth } from './engine-health';
import { AGENT_ID, BUYER_ID, type StartCounts } from './start-invocation';
import { CALL_DETAILS, GROUP_DETAILS } from '../domain/flow-details';
import { creditsText } from '../domain/ledger/money';
import { createWaitingCalls, namesOf } from './waiting-calls';

/** Longest time for which a call waits to be enrolled while the engine answers. */
const WINDOW_MS = 400;
/** What gRPC answers to a start that exceeds a limit. */
const INVALID_ARGUMENT = 3;
/** A start that takes longer has failed. A slow engine is not an engine that is away. */
const START_DEADLINE_MS = 10_000;
const RETRY_PAUSE_MS = 250;
/** How long a start takes while the engine and this process have time to spare. */
const PROMPT_MS = 5;

/** Ids of the calls, agents and buyers of a group. */
export const MEMBERS = defineSearchAttributeKey('Members', SearchAttributeType.KEYWORD_LIST);

export interface EnrolmentDeps {
  client: () => Client | undefined;
  taskQueue: string;
  ownerQueue: string;
  eager: boolean;
  /** Size of a search attribute that the engine accepts, encoded as JSON. The names of a group fit into it. */
  attributeBytes: number;
  endingOf: CallEndings;
  /** Starts a second of workflows of one call (`OWN_WORKFLOWS_PER_SECOND`). */
  ownPerSecond: number;
  /** Called after each start attempt, with its duration. */
  onEnd: (result: 'confirmed' | 'failed', seconds: number) => void;
  logger: Logger;
  now?: () => number;
}

export interface Enrolment {
  /** False while the engine is known to be away. Check this before accepting a call. */
  available(): boolean;
  /** Enrols a call: in a workflow of its own, or together with calls that come at the same time. */
  add(member: GroupMember): void;
  /** Starts the call's own workflow, which drives it to its end. For calls whose steps failed with a fault. */
  addAlone(member: GroupMember): void;
  counts(): StartCounts & { members: number };
  isBreakerOpen(): boolean;
  /** Enrols what still waits. Gives up after `patienceMs`. */
  stop(patienceMs: number): Promise<void>;
}

export function createEnrolment(deps: EnrolmentDeps): Enrolment {
  const now = deps.now ?? (() => performance.now());
  const { start, health, counts } = createStarts(deps, now);
  const own = createOwnStarts(deps.ownPerSecond, now);
  const waiting = createWaitingCalls({
    windowMs: WINDOW_MS,
    maxBytes: deps.attributeBytes,
    endingOf: deps.endingOf,
    now,
  });
  let timer: NodeJS.Timeout | undefined;
  let starting = 0;
  let stopped = false;

  function flush(at = now()): void {
    clearTimeout(timer);
    for (const members of waiting.collectReady(at)) void enrol(members);
    const nextMs = waiting.nextInMs();
    timer = nextMs === undefined ? undefined : setTimeout(flush, nextMs);
  }

  /** A member brings how it ended, as far as that is known when its group is started. */
  function withEnds(members: readonly GroupMember[]): GroupMember[] {
    return members.map((member) => {
      const end = member.end ?? deps.endingOf(member.invocationId);
      return end ? { ...member, end } : member;
    });
  }

  /**
   * A group is tried again with the same members, so that no call is enrolled in two. A group that the engine refuses
   * has no workflow, so its halves are enrolled.
   */
  async function enrol(members: GroupMember[]): Promise<void> {
    starting += 1;
    const startedAt = now();
    let result: StartResult = 'failed';
    let asked = members;
    while (!stopped && (result = await start((asked = withEnds(asked)))) === 'failed')
      await sleep(RETRY_PAUSE_MS);
    starting -= 1;
    if (members.length === 1) own.ended(now() - startedAt);
    if (result !== 'refused') return;
    const half = Math.ceil(asked.length / 2);
    await Promise.all([enrol(asked.slice(0, half)), enrol(asked.slice(half))]);
  }

  return {
    available: () => deps.client() !== undefined && !health.isAway(),
    add(member) {
      if (own.acquire(starting)) return void enrol([member]);
      waiting.add(member);
      timer ??= setTimeout(flush, WINDOW_MS);
    },
    addAlone(member) {
      waiting.remove(member);
      void enrol([member]);
    },
    counts: () => ({ ...counts }),
    isBreakerOpen: health.isAway,
    async stop(patienceMs) {
      const giveUpAt = now() + patienceMs;
      health.stop();
      flush(Infinity);
      while (starting > 0 && now() < giveUpAt) await sleep(20);
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** `refused`: the engine answered that it does not start a workflow for so many calls. */
type StartResult = 'confirmed' | 'failed' | 'refused';

/** Starts of workflows, with the health of the engine, to which they report. */
function createStarts(deps: EnrolmentDeps, now: () => number) {
  const health = startEngineHealth({ client: deps.client, now });
  const counts = { confirmed: 0, declined: 0, failed: 0, members: 0 };

  function ended(members: GroupMember[], isHere: boolean): void {
    health.succeeded();
    counts.confirmed += 1;
    counts.members += members.length;
    if (deps.eager && !isHere) counts.declined += 1;
  }

  async function start(members: GroupMember[]): Promise<StartResult> {
    const client = deps.client();
    if (!client || !health.tryPass()) return 'failed';
    const startedAt = now();
    try {
      const confirmed = members.map(beginStart);
      ended(members, await withDeadline(client, START_DEADLINE_MS, () => startFor(client, deps, members)));
      deps.onEnd('confirmed', (now() - startedAt) / 1_000);
      for (const end of confirmed) end?.();
      return 'confirmed';
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) {
        health.succeeded();
        return 'confirmed';
      }
      const isRefused = members.length > 1 && codeOf(error) === INVALID_ARGUMENT;
      if (isRefused) health.succeeded();
      else health.failed();
      counts.failed += 1;
      deps.onEnd('failed', (now() - startedAt) / 1_000);
      const said = isRefused ? 'the engine refused a start' : 'the engine did not confirm a start';
      deps.logger.warn({ err: error, calls: members.length }, said);
      return isRefused ? 'refused' : 'failed';
    }
  }

  return { start, health, counts };
}

function codeOf(error: unknown): unknown {
  return error instanceof ServiceError && isGrpcServiceError(error.cause) ? error.cause.code : undefined;
}

/**
 * Starts of workflows of one call: at most `perSecond` in a second, saved up for one second. Calls that come no faster
 * than that all get one (ADR 0236). While calls come faster, a start that the engine confirms slowly counts for
 * several, because the engine, or this process, does not keep up (ADR 0224).
 */
function createOwnStarts(perSecond: number, now: () => number) {
  /** What is left of the starts of a second. */
  let left = perSecond;
  /** What is left of the calls of a second. Calls that come faster run up a debt, of a second at most. */
  let calm = perSecond;
  let at = now();
  return {
    /** True for a call that gets a workflow of its own. `unconfirmed`: starts that the engine has not confirmed. */
    acquire(unconfirmed: number): boolean {
      const refill = ((now() - at) * perSecond) / 1_000;
      at = now();
      left = Math.min(perSecond, left + refill);
      calm = Math.min(perSecond, calm + refill);
      const isCrowd = calm < 1;
      calm = Math.max(-perSecond, calm - 1);
      if (unconfirmed >= perSecond || (isCrowd && left < 1)) return false;
      left = Math.max(-perSecond, left - 1);
      return true;
    },
    /**
     * Takes what a start costs beyond the first: the square of how much longer than usual it took, because a start in
     * a busy process costs the calls of others most. The debt is paid within a second.
     */
    ended(tookMs: number): void {
      left = Math.max(-perSecond, left - Math.max(0, (tookMs / PROMPT_MS) ** 2 - 1));
    },
  };
}

/** Begins the span of the start of a call's workflow (ADR 0096); undefined without a sink for spans. */
function beginStart({ invocationId, traceId }: GroupMember): ((failure?: string) => void) | undefined {
  if (!spanSink() || !traceId) return undefined;
  const attributes = { temporalWorkflowID: `invocation/${invocationId}` };
  return beginSpan({ traceId, parent: invocationId, name: 'start workflow', kind: 'client', attributes });
}

/** Starts the workflow for these calls. Returns true when this process received its first task. */
export async function startFor(
  client: Client,
  { taskQueue, ownerQueue, eager }: Pick<EnrolmentDeps, 'taskQueue' | 'ownerQueue' | 'eager'>,
  members: GroupMember[],
): Promise<boolean> {
  const [first] = members;
  if (!first) return true;
  const options = {
    taskQueue,
    requestEagerStart: eager,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
  } as const;
  if (members.length > 1) {
    const handle = await client.workflow.start('callGroup', {
      ...options,
      workflowId: `calls/${first.invocationId}`,
      args: [{ ownerQueue, members } satisfies CallGroupInput],
      staticSummary: `${members.length} calls`,
      staticDetails: GROUP_DETAILS,
      typedSearchAttributes: [{ key: MEMBERS, value: namesOf(members) }],
    });
    return handle.eagerlyStarted;
  }
  const { invocationId, timeoutMs, traceId, priceCredits } = first;
  const handle = await client.workflow.start('invocation', {
    ...options,
    workflowId: `invocation/${invocationId}`,
    args: [{ invocationId, timeoutMs, traceId, priceCredits, ownerQueue } satisfies InvocationWorkflowInput],
    staticSummary: `${first.agentId} for ${first.buyerUserId}, ${creditsText(priceCredits)}`,
    staticDetails: CALL_DETAILS,
    typedSearchAttributes: [
      { key: AGENT_ID, value: first.agentId },
      { key: BUYER_ID, value: first.buyerUserId },
    ],
  });
  return handle.eagerlyStarted;
}
