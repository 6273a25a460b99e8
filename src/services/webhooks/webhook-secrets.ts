import type { SigningSecret } from '../../domain/webhooks/webhook';
import type { Cipher } from '../../kit/crypto/cipher';

/** The sealed part of an endpoint. */
export interface WebhookTarget {
  url: string;
  /** Newest first. */
  secrets: SigningSecret[];
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
