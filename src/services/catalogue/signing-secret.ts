import type { SealContext } from '../../kit/crypto/cipher';

/** The sealing context of an agent's signing secret. */
export function signingSecretContext(agentId: string): SealContext {
  return { purpose: 'agent-signing-secret', agent_id: agentId };
}
