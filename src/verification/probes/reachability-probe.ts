/**
 * Probes for self-hosted agents, which have no schema to validate against: an HTTP agent must be reachable and accept
 * our credential, and an MCP server must list a tool (specification, "Registration rules" 3 and 4).
 */
import type { ErrorCode } from '../../domain/errors';
import type { ProbeAnswer } from './conformance-probe';

/** Input for an agent without a known schema. */
export const BLANK_INPUT = '{}';

/** Statuses that mean that the endpoint does not exist or refuses our credential. */
const NOT_REACHED: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410]);

/** An agent's reply; `status` is the HTTP status, absent without a response. */
export type AgentReply = { durationMs: number; status?: number | undefined; invocationId?: string } & (
  { ok: true } | { ok: false; code: ErrorCode }
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
