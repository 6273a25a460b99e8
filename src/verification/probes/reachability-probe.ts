/**
 * Probes for self-hosted agents, which have no schema to validate against: an HTTP agent must be reachable and accept
 * our credential, and an MCP server must list a tool (specification, "Registration rules" 3 and 4).
 */
import type { ConnectionCause } from '../../domain/calls/connection-cause';
import type { ErrorCode } from '../../domain/errors';
import type { Gap } from '../../domain/evidence/evidence-facts';
import { ATTACK_CATEGORIES, type AttackCategory } from '../../domain/evidence/leak-kinds';
import type { AttackFact, RedTeamEvidence } from '../../domain/verification/probe-facts';
import type { ProbeAnswer } from './conformance-probe';
import { instructs } from './leak-detectors';
import { ATTEMPTS, SUITE_VERSION } from './red-team-suite';

/** Input for an agent without a known schema. */
export const BLANK_INPUT = '{}';

/** Statuses that mean that the endpoint does not exist or refuses our credential. */
const NOT_REACHED: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410]);

/** An agent's reply; `status` is the HTTP status, absent without a response. */
export type AgentReply = { durationMs: number; status?: number | undefined; invocationId?: string } & (
  { ok: true } | { ok: false; code: ErrorCode; cause?: ConnectionCause | undefined }
);

const NOTHING = Buffer.alloc(0);

/**
 * Interprets the reply to a blank input. A refused input (400, 422, …) or an answer that is not JSON still counts as
 * reached, because the agent never declared its input or output. A server error (5xx), a redirect or no response does
 * not.
 */
export function reached(reply: AgentReply): ProbeAnswer {
  const { status, durationMs, invocationId } = reply;
  const answered = { ok: true, json: NOTHING, durationMs, ...(invocationId && { invocationId }) } as const;
  if (reply.ok) return answered;
  const isThere =
    status !== undefined && (status < 300 || (status >= 400 && status < 500 && !NOT_REACHED.has(status)));
  const spoke = reply.code === 'agent_error' || reply.code === 'response_too_large';
  return isThere && spoke ? answered : reply;
}

/** Interprets the list of an MCP server's tools. */
export function toolsFound(tools: readonly unknown[], durationMs: number): ProbeAnswer {
  if (tools.length === 0) return { ok: false, code: 'no_tools', durationMs };
  return { ok: true, json: NOTHING, durationMs };
}

/** Checks an MCP server's tool descriptions for instructions to a model; calls no tool. */
export function readToolDescriptions(descriptions: readonly string[]): RedTeamEvidence {
  const hits = descriptions.filter(instructs).length;
  const attacks = ATTACK_CATEGORIES.map((category): AttackFact => {
    if (category !== 'prompt_injection') return notTried(category, 'no_input_schema');
    const coverage = { wanted: descriptions.length, looked: descriptions.length, gaps: [] };
    const leaks = hits > 0 ? [{ kind: 'followed_instruction' as const, attempts: hits }] : [];
    return { category, coverage, leaks };
  });
  return { suite: SUITE_VERSION, attacks };
}

function notTried(category: AttackCategory, code: Gap['code']): AttackFact {
  const wanted = ATTEMPTS.filter((attempt) => attempt.category === category).length;
  return { category, coverage: { wanted, looked: 0, gaps: [{ code, count: wanted }] }, leaks: [] };
}
