import type { Schema } from '../api-schema';

/**
 * What `GET /v1/developer/agents/{agent_id}` shows of the proof that a host is the developer's; null: none is needed.
 */
export type Ownership = Schema<'OwnAgentDetail'>['ownership'];

/** What the owner of an agent does to prove that the host of its endpoint is theirs; empty if nothing. */
export function ownershipAdvice(agentId: string, ownership: Ownership): string {
  if (ownership?.status !== 'unproven') return '';
  const {
    host,
    token,
    file_url: fileUrl,
    dns_name: dnsName,
    header,
    challenge_url: challengeUrl,
  } = ownership;
  return [
    `Ownership of ${host} is not proven, so verification calls it no more, and there is no badge. Prove it by one of:`,
    ...(challengeUrl === null
      ? []
      : [`  a signed answer to the challenge at ${challengeUrl} (docs/self-hosted.md)`]),
    `  a file   ${fileUrl} with the line ${token}`,
    ...(dnsName === null ? [] : [`  DNS      a TXT record of ${dnsName} with the text ${token}`]),
    `  a header of the endpoint’s answer to GET: ${header}: ${token}`,
    `Then run: market agents reverify ${agentId}`,
  ].join('\n');
}

/** A text with what the owner of the agent does next, if anything. */
export function withAdvice(text: string, { agent_id: agentId, ownership }: Schema<'OwnAgentDetail'>): string {
  return [text, ownershipAdvice(agentId, ownership)].filter(Boolean).join('\n');
}
