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
  answer_content_encoding:
    'An answer had a Content-Encoding, so the call failed. Send the body as it is, without the header; a proxy in front of the agent may add it.',
  answer_content_length:
    'The Content-Length of an answer was not a number, was not the length of the body, was there twice, or stood beside Transfer-Encoding, so the call failed. Send it once; a proxy in front of the agent may add another one.',
  answer_content_type:
    'An answer had another Content-Type than application/json and was not JSON, so the call failed. Send JSON; a page of a proxy or a login may have answered instead of the agent.',
  answer_header_form: 'A header of an answer had characters that HTTP does not allow, so the call failed.',
  answer_headers_size:
    'An answer had more than 100 headers, or more than 16 KiB of them, so the call failed. Send fewer, such as fewer cookies.',
  answer_not_http: 'An answer was not HTTP/1.1, so the call failed.',
  task_without_jobs:
    'The MCP server makes tasks of tool calls, which the registration does not declare, so the call failed. Declare capabilities.jobs.',
  asks_sampling:
    'A tool of the MCP server asked for a sample of a model, which does not pass to buyers. Use a model of the server.',
  asks_roots:
    'A tool of the MCP server asked for folders of its user, which do not pass to buyers. Let the tool take what it needs as arguments.',
  asks_page:
    'A tool of the MCP server asked its user to open a page, which does not pass to buyers. Ask by a form, or let the tool take what it needs as arguments.',
  asks_secret:
    'A tool of the MCP server asked its user for a secret by a form, which does not pass to buyers. Leave the field out: buyers give no secrets to tools.',
  asks_form:
    'A tool of the MCP server asked its user by a form that MCP does not allow, which does not pass to buyers. Use the kinds of fields that MCP names for elicitation.',
  asks_other:
    'The MCP server asked its client for something that does not pass to buyers. Offer tools that need nothing of their client but forms.',
  credential_unreadable:
    'The upstream credential could not be decrypted, so the agent was not called. Set the credential again. An operator was notified.',
  credential_too_short:
    'The upstream credential has fewer than 16 secret characters and could be guessed, so the agent was not called. Set a longer one.',
} as const satisfies Record<string, string>;

export type AgentNoticeKind = keyof typeof AGENT_NOTICES;

export const AGENT_NOTICE_KINDS = Object.keys(AGENT_NOTICES) as AgentNoticeKind[];

/** What is wrong with the head of an answer. */
export type AnswerFlaw = AgentNoticeKind extends infer Kind
  ? Kind extends `answer_${infer Flaw}`
    ? Flaw
    : never
  : never;

/** The notice for an answer with a flaw in its head. */
export function flawNotice(flaw: AnswerFlaw): AgentNoticeKind {
  return `answer_${flaw}`;
}

/** The notice for an endpoint that answers with a redirect to `location`, as its server wrote it. */
export function redirectNotice(endpointUrl: string, location: string | undefined): AgentNoticeKind {
  const path = (text: string) => text.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const [from, to] = [path(endpointUrl), path(location ?? '')];
  if (to === `${from}/`) return 'endpoint_redirects_to_slash';
  return from === `${to}/` && to !== '' ? 'endpoint_redirects_from_slash' : 'endpoint_redirects';
}
