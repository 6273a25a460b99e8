/** Notices shown only to the owner of an agent. */
export const AGENT_NOTICES = {
  credential_in_answer:
    'The agent repeated its upstream credential in an answer. It was masked before the answer reached the caller.',
  credential_in_stream:
    'The agent repeated its upstream credential in a streamed answer. It was masked before the answer reached the caller.',
  credential_in_error:
    'The agent repeated its upstream credential in the body of an error. The body was discarded.',
  credential_in_mcp_answer:
    'The MCP server repeated its upstream credential in an answer. It was masked before the answer reached the caller.',
  endpoint_in_answer:
    'The agent repeated the host, path or query of its endpoint in an answer. It was masked before the answer reached the caller.',
  credential_unreadable:
    'The upstream credential could not be decrypted, so the agent was not called. Set the credential again. An operator was notified.',
  credential_too_short:
    'The upstream credential has fewer than 16 secret characters and could be guessed, so the agent was not called. Set a longer one.',
} as const satisfies Record<string, string>;

export type AgentNoticeKind = keyof typeof AGENT_NOTICES;

export const AGENT_NOTICE_KINDS = Object.keys(AGENT_NOTICES) as AgentNoticeKind[];
