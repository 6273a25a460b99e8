/**
 * Tasks on the wire: the extension `io.modelcontextprotocol/tasks` in the modern era, and `tasks` of 2025-11-25 in the
 * legacy era. A task is a call of the buyer, and its id is that of the call.
 */
import { defaultMessage } from '../../../domain/errors';
import { isFinal } from '../../../domain/calls/invocation-state';
import type {
  InvocationWithEvidence,
  JobReport,
  OpenQuestion,
} from '../../../services/calls/invocation-views';
import type { Era } from '../../../services/mcp/protocol';
import type { McpExchange } from '../wire/mcp-request';

export type McpTaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The facts about a call that its task shows. */
export interface TaskFacts extends Pick<
  InvocationWithEvidence,
  'invocationId' | 'status' | 'errorCode' | 'chargedUnits' | 'truncatedBy' | 'invokedAt' | 'settledAt'
> {
  /** How long its agent retains data. */
  retentionDays?: number;
  job?: JobReport | undefined;
}

const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

/** What the form of a task depends on besides the call. */
export interface Viewer {
  /** The client shows forms. */
  elicits?: boolean;
  /** The agent is an MCP server. */
  isServer?: boolean;
}

export const viewerOf = ({ client, server }: Pick<McpExchange, 'client' | 'server'>): Viewer => ({
  elicits: client.elicits,
  isServer: server.passesOn,
});

/** The members that a task has in every message, in the form of its era. */
export function taskJson(
  era: Era,
  facts: TaskFacts,
  { elicits, isServer }: Viewer = {},
): Record<string, unknown> {
  const statusMessage = messageOf(facts);
  const life = lifeOf(facts);
  const pause = pauseOf(facts);
  return {
    taskId: facts.invocationId,
    status: elicits && openQuestion(facts) ? 'input_required' : taskStatus(era, facts, isServer),
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: facts.invokedAt.toISOString(),
    lastUpdatedAt: (facts.settledAt ?? facts.job?.heardAt ?? facts.invokedAt).toISOString(),
    ...(era === 'modern' ? { ttlMs: life, pollIntervalMs: pause } : { ttl: life, pollInterval: pause }),
  };
}

/**
 * The status of the task of a call. A failure of the call is the result of its tool: `completed` in the modern era,
 * where `failed` is for errors of the protocol, and `failed` in the legacy era. The tools of an MCP server report their
 * failures themselves, so the call of one fails only by an error of the protocol. A call that was disputed while it ran
 * is cancelled.
 */
export function taskStatus(era: Era, facts: TaskFacts, isServer = false): McpTaskStatus {
  const { status, errorCode } = facts;
  if (!isFinal(status)) return 'working';
  if (status === 'succeeded') return 'completed';
  if (status === 'disputed') return wasDelivered(facts) ? 'completed' : 'cancelled';
  if (errorCode === 'canceled') return 'cancelled';
  return era === 'modern' && !isServer ? 'completed' : 'failed';
}

/** What the agent of a call asks, and waits for. */
export function openQuestion({ status, job }: TaskFacts): OpenQuestion | undefined {
  return isFinal(status) ? undefined : (job?.question ?? undefined);
}

/** True for a disputed call that had succeeded before. */
function wasDelivered({ chargedUnits, truncatedBy }: TaskFacts): boolean {
  return chargedUnits > 0 || truncatedBy !== null;
}

/** What a follower sees of a task: its JSON without times, which change when nothing else does. */
export function visibleOf(era: Era, facts: TaskFacts, viewer: Viewer): string {
  const { status, statusMessage } = taskJson(era, facts, viewer);
  return JSON.stringify([status, statusMessage, openQuestion(facts)?.questionId]);
}

/** What the agent of a job has reported, as one sentence; undefined if it has not said anything. */
export function reportOf(job: JobReport | undefined): string | undefined {
  if (!job) return undefined;
  const { message, progress, question } = job;
  if (question) return `It asks: ${question.prompt}`;
  const percent = progress === null ? undefined : `${Math.floor(progress * 100)} % done`;
  if (message === null) return percent === undefined ? undefined : `${percent}.`;
  return percent === undefined ? message : `${percent}: ${message}`;
}

function messageOf({ status, errorCode, job }: TaskFacts): string | undefined {
  if (!isFinal(status)) return reportOf(job);
  return errorCode === null ? undefined : defaultMessage(errorCode);
}

/** How long the task can be read, from its creation; null while that is not known. */
function lifeOf({ invokedAt, settledAt, retentionDays = 0 }: TaskFacts): number | null {
  if (!settledAt) return null;
  return settledAt.getTime() - invokedAt.getTime() + Math.max(1, retentionDays) * DAY_MS;
}

/** The older a job, the longer the pauses in which a client asks for it. */
function pauseOf({ invokedAt, job }: TaskFacts): number {
  const ageMs = Date.now() - invokedAt.getTime();
  if (!job || ageMs < MINUTE_MS) return 1_000;
  return ageMs < 10 * MINUTE_MS ? 5_000 : 15_000;
}
