/** What an agent's owner is told about it, and nobody else. */
export const AGENT_NOTICES = {
  credential_in_answer:
    'The agent repeated its upstream credential in an answer. It was masked before anybody could see it.',
  credential_in_stream:
    'The agent repeated its upstream credential in a streamed answer. It was masked before anybody could see it.',
  credential_in_error:
    'The agent repeated its upstream credential in the body of an error. The body was not passed on.',
  credential_in_mcp_answer:
    'The MCP server repeated its upstream credential in an answer. It was masked before anybody could see it.',
  credential_unreadable:
    'The upstream credential could not be opened, so the agent was not called. Set it again; an operator knows, too.',
} as const satisfies Record<string, string>;

export type AgentNoticeKind = keyof typeof AGENT_NOTICES;

export const AGENT_NOTICE_KINDS = Object.keys(AGENT_NOTICES) as AgentNoticeKind[];
