import { secretsAt, type SigningSecret } from '../../domain/webhooks/webhook';
import type { Cipher } from '../../kit/crypto/cipher';

/** The sealed part of an endpoint. */
export interface WebhookTarget {
  url: string;
  /** Newest first. */
  secrets: SigningSecret[];
  /** The key pairs of v1a (ADR 0351), newest first; absent until the next rotation of a webhook made before them. */
  keys?: SigningSecret[];
}

/** The sealing context of an endpoint's URL and secrets. */
export function webhookContext(webhookId: string): Record<string, string> {
  return { purpose: 'webhook', webhook_id: webhookId };
}

export async function unsealWebhook(
  cipher: Cipher,
  { webhookId, sealed }: { webhookId: string; sealed: Buffer },
): Promise<WebhookTarget> {
  const json = await cipher.unseal(sealed, webhookContext(webhookId));
  return JSON.parse(json.toString()) as WebhookTarget;
}

export async function sealWebhook(cipher: Cipher, webhookId: string, target: WebhookTarget): Promise<Buffer> {
  return cipher.seal(Buffer.from(JSON.stringify(target)), webhookContext(webhookId));
}

/** The secrets and key pairs that sign at a time, each kind newest first. */
export function signersAt({ secrets, keys = [] }: WebhookTarget, nowMs: number): string[] {
  return [...secretsAt(secrets, nowMs), ...secretsAt(keys, nowMs)].map(({ secret }) => secret);
}
