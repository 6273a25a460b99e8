/**
 * The challenge that an agent with a manifest answers with its signing secret: the request is signed like a call, and
 * the answer is a signature of the challenge, by the same library of Standard Webhooks.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { asRecord } from '../../../domain/json-value';
import type { Egress } from '../../../egress/agent-call';
import { EgressError } from '../../../egress/egress-error';
import type { Cipher } from '../../../kit/crypto/cipher';
import { signWebhook } from '../../../kit/crypto/webhook-signature';
import { secretsAt } from '../../../domain/webhooks/webhook';
import { unsealAgentSecrets } from '../../catalogue/signing-secret';

interface ChallengeDeps {
  cipher: Pick<Cipher, 'unseal'>;
  egress: Pick<Egress, 'post'>;
}

/** What an agent signs. The challenge stands for the id of a message, and the time is that of the request. */
const SIGNED_TEXT = Buffer.from('ownership');
const ANSWER_MS = 5_000;
const MOST_BYTES = 4_096;

/** True if the endpoint answers a new challenge with a signature by one of the agent's secrets. */
export async function answersChallenge(
  { cipher, egress }: ChallengeDeps,
  agent: { agentId: string; sealedSigningSecret: Buffer },
  url: string,
  signal: AbortSignal,
): Promise<boolean> {
  const nowMs = Date.now();
  const { secrets } = await unsealAgentSecrets(cipher, agent);
  const own = secretsAt(secrets, nowMs).map(({ secret }) => secret);
  const seconds = Math.floor(nowMs / 1_000);
  const challenge = `amc_${randomBytes(32).toString('base64url')}`;
  const body = Buffer.from(JSON.stringify({ type: 'ownership', agent_id: agent.agentId, challenge }));
  const headers = {
    'content-type': 'application/json',
    ...signWebhook(own, `msg_${randomBytes(16).toString('hex')}`, seconds, body),
  };
  const request = { url, body, headers, signal, deadlineMs: nowMs + ANSWER_MS, maxResponseBytes: MOST_BYTES };
  const answer = await egress.post(request).catch(withoutAnswer);
  if (answer?.status !== 200) return false;
  const said = signatureIn(answer.body);
  return own.some((secret) =>
    isSame(signWebhook(secret, challenge, seconds, SIGNED_TEXT)['webhook-signature'], said),
  );
}

function signatureIn(body: Buffer): string {
  try {
    return String(asRecord(JSON.parse(body.toString()))['signature']);
  } catch {
    return '';
  }
}

function isSame(expected: string, said: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(said)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A server that fails proves nothing. */
export function withoutAnswer(error: unknown): undefined {
  if (error instanceof EgressError && error.kind !== 'aborted') return undefined;
  throw error;
}
