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
    'The agent repeated the host of its endpoint, or a credential of its URL, in an answer. It was masked before the answer reached the caller.',
  endpoint_redirects:
    'The endpoint answered with a redirect, which is never followed. Register the address that it leads to.',
  endpoint_redirects_to_slash:
    'The endpoint answered with a redirect to the same address with a slash at its end, which is never followed. Register the address with the slash.',
  endpoint_redirects_from_slash:
    'The endpoint answered with a redirect to the same address without the slash at its end, which is never followed. Register the address without the slash.',
  credential_unreadable:
    'The upstream credential could not be decrypted, so the agent was not called. Set the credential again. An operator was notified.',
  credential_too_short:
    'The upstream credential has fewer than 16 secret characters and could be guessed, so the agent was not called. Set a longer one.',
} as const satisfies Record<string, string>;

export type AgentNoticeKind = keyof typeof AGENT_NOTICES;

export const AGENT_NOTICE_KINDS = Object.keys(AGENT_NOTICES) as AgentNoticeKind[];

/** The notice for an endpoint that answers with a redirect to `location`, as its server wrote it. */
export function redirectNotice(endpointUrl: string, location: string | undefined): AgentNoticeKind {
  const path = (text: string) => text.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const [from, to] = [path(endpointUrl), path(location ?? '')];
  if (to === `${from}/`) return 'endpoint_redirects_to_slash';
  return from === `${to}/` && to !== '' ? 'endpoint_redirects_from_slash' : 'endpoint_redirects';
}
