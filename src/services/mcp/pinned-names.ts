/**
 * Names of the tools of pinned agents at `POST /mcp` (ADR 0335). A name depends on the agent and the tool alone, so it
 * does not change when other agents are pinned. It has at most 64 characters of those that all clients accept.
 *
 * - An agent without tools of its own: its id without `agt_`, such as `pdf_parser_v1`. It ends with a version, so it is
 *   never one of the market's own tools.
 * - A tool of an agent that is an MCP server: that name, `-`, and the tool, such as `files_v2-read`. Ids have no `-`.
 * - A name that is too long, or has other characters: its parts, cut, and a digest, all with `--` between them.
 */
import { createHash } from 'node:crypto';

const MOST_CHARACTERS = 64;
const PLAIN_TOOL = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;
const DIGEST_CHARACTERS = 10;
/** Of the agent's name, where a tool follows. The rest is for the tool. */
const CUT_AGENT = 22;
const CUT_TOOL = MOST_CHARACTERS - CUT_AGENT - DIGEST_CHARACTERS - 2 * '--'.length;

/** The name of the tool of an agent, or of one of its tools. */
export function pinnedName(agentId: string, tool?: string): string {
  const base = baseOf(agentId);
  if (tool === undefined) {
    if (base.length <= MOST_CHARACTERS) return base;
    const most = MOST_CHARACTERS - DIGEST_CHARACTERS - '--'.length;
    return `${base.slice(0, most)}--${digestOf(base)}`;
  }
  const name = `${base}-${tool}`;
  if (name.length <= MOST_CHARACTERS && PLAIN_TOOL.test(tool)) return name;
  const plain = tool.replaceAll(/[^A-Za-z0-9_]/g, '_').slice(0, CUT_TOOL);
  return `${base.slice(0, CUT_AGENT)}--${plain}--${digestOf(name)}`;
}

/** Whether a name can be that of a tool of an agent that is an MCP server. */
export function mayBeToolOf(agentId: string, name: string): boolean {
  const base = baseOf(agentId);
  return name.startsWith(`${base}-`) || name.startsWith(`${base.slice(0, CUT_AGENT)}--`);
}

const baseOf = (agentId: string) => agentId.replace(/^agt_/, '');

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
}
