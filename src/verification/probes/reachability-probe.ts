/**
 * Probes of self-hosted agents, which promise no schema that an answer could be checked against: an HTTP agent must be
 * there and let us in, an MCP server must name a tool (specification, "Registration rules" 3 and 4).
 */
import type { ErrorCode } from '../../domain/errors';
import type { ProbeAnswer } from './conformance-probe';

/** The input that is sent to an agent of which nothing is known. */
export const BLANK_INPUT = '{}';

/** Statuses that say: nothing here takes this call, or our credential is not the right one. */
const NOT_REACHED: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410]);

/** How an agent answered; `status` is that of HTTP, absent when none came. */
export type AgentReply = { durationMs: number; status?: number | undefined } & (
  { ok: true } | { ok: false; code: ErrorCode }
);

const NOTHING = Buffer.alloc(0);

/**
 * What a call with a blank input tells of an agent: that it dislikes the input (400, 422, …) or answers no JSON is no
 * fault, since it never said what it takes. A fault of its own (5xx), a redirect and silence are.
 */
export function reached(reply: AgentReply): ProbeAnswer {
  const { status, durationMs } = reply;
  if (reply.ok) return { ok: true, json: NOTHING, durationMs };
  const isThere =
    status !== undefined && (status < 300 || (status >= 400 && status < 500 && !NOT_REACHED.has(status)));
  const spoke = reply.code === 'agent_error' || reply.code === 'response_too_large';
  return isThere && spoke ? { ok: true, json: NOTHING, durationMs } : reply;
}

/** What the tools of an MCP server tell of it. */
export function toolsFound(tools: readonly unknown[], durationMs: number): ProbeAnswer {
  if (tools.length === 0) return { ok: false, code: 'no_tools', durationMs };
  return { ok: true, json: NOTHING, durationMs };
}
