/**
 * The secrets that sign the calls to an agent. A rotated secret still signs beside its successor during a grace period,
 * so that the developer can replace it in a running agent. The seal has the secret alone until the first rotation,
 * then JSON.
 */
import { MarketError } from '../../domain/errors';
import { MAX_SECRETS, rotateSecrets, secretsAt, type SigningSecret } from '../../domain/webhooks/webhook';
import { BoundedMap } from '../../kit/bounded-map';
import type { Cipher, SealContext } from '../../kit/crypto/cipher';
import { newSigningSecret } from '../../kit/crypto/webhook-signature';
import { requestMail } from '../../stores/accounts/mails';
import { type AgentRow, lockAgent, setSigningSecret } from '../../stores/catalogue/agents';
import { type DbPool, withTransaction } from '../../stores/db';

/** The sealing context of an agent's signing secrets. */
export function signingSecretContext(agentId: string): SealContext {
  return { purpose: 'agent-signing-secret', agent_id: agentId };
}

export interface AgentSecrets {
  /** Newest first. */
  secrets: SigningSecret[];
  /** The secret that the agent began with. Proofs of ownership contain a hash of it, so they outlive rotations. */
  first: string;
}

type Sealed = Pick<AgentRow, 'agentId' | 'sealedSigningSecret'>;

/** Throws `SealedValueError` if the secrets cannot be decrypted. */
export async function unsealAgentSecrets(
  cipher: Pick<Cipher, 'unseal'>,
  agent: Sealed,
): Promise<AgentSecrets> {
  const unsealed = await cipher.unseal(agent.sealedSigningSecret, signingSecretContext(agent.agentId));
  const text = unsealed.toString();
  if (text.startsWith('{')) return JSON.parse(text) as AgentSecrets;
  return { secrets: [{ secret: text, untilMs: null }], first: text };
}

/** The newest secret, which is shown to the developer. */
export const newestOf = ({ secrets, first }: AgentSecrets): string => secrets[0]?.secret ?? first;

/** Until when the secrets before the newest one sign too; null if none does. */
export function previousUntil({ secrets }: AgentSecrets, nowMs = Date.now()): Date | null {
  const until = secretsAt(secrets, nowMs).flatMap(({ untilMs }) => untilMs ?? []);
  return until.length > 0 ? new Date(Math.max(...until)) : null;
}

/** Agents whose secrets are remembered. */
const MAX_AGENTS = 1_000;

/** Returns the function that unseals the secrets that sign for an agent now: during a rotation, more than one. */
export function createSigningSecretReader(cipher: Pick<Cipher, 'unseal'>) {
  const known = new BoundedMap<string, { sealed: Buffer; secrets: SigningSecret[] }>(MAX_AGENTS);

  return async (agent: Sealed): Promise<string[]> => {
    const { agentId, sealedSigningSecret: sealed } = agent;
    let secrets = known.get(agentId);
    if (!secrets?.sealed.equals(sealed)) {
      secrets = { sealed, secrets: (await unsealAgentSecrets(cipher, agent)).secrets };
      known.set(agentId, secrets);
    }
    return secretsAt(secrets.secrets, Date.now()).map(({ secret }) => secret);
  };
}

export function createSigningSecrets({ pool, cipher }: { pool: DbPool; cipher: Cipher }) {
  return {
    /**
     * Issues a new secret for an agent of the developer. Calls that begin within half a minute may still be signed by
     * the secrets before alone (`serving-version-cache.ts`). Throws `not_found` for agents of others, `invalid_state`
     * if too many secrets sign.
     */
    rotate: (userId: string, agentId: string, graceSeconds: number): Promise<AgentSecrets> =>
      withTransaction(pool, async (tx) => {
        const agent = await lockAgent(tx, agentId);
        if (agent?.developerUserId !== userId) throw new MarketError('not_found');
        const before = await unsealAgentSecrets(cipher, agent);
        const times = { nowMs: Date.now(), graceMs: graceSeconds * 1_000 };
        const secrets = rotateSecrets(before.secrets, newSigningSecret(), times);
        if (secrets.length > MAX_SECRETS) throw tooMany();
        const after = { ...before, secrets };
        const text = Buffer.from(JSON.stringify(after));
        await setSigningSecret(tx, agentId, await cipher.seal(text, signingSecretContext(agentId)));
        await requestMail(tx, { recipient: userId, kind: 'agent_secret_changed', subject: agentId });
        return after;
      }),
  };
}

export type SigningSecrets = ReturnType<typeof createSigningSecrets>;

function tooMany(): MarketError {
  return new MarketError('invalid_state', {
    message: `${MAX_SECRETS} secrets of this agent sign at present. Wait until one expires, or rotate with grace_seconds 0, which ends the others at once.`,
  });
}
