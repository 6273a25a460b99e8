/** Callbacks of agents about their jobs, as an agent sends them. */
import { randomUUID } from 'node:crypto';
import { createCallbackTokens } from '../../../src/kit/crypto/callback-token';
import { signWebhook } from '../../../src/kit/crypto/webhook-signature';
import type { TestMarket } from '../market';

export interface CallbackReply {
  status: number;
  /** `accepted`, or the code of the error. */
  code: string | undefined;
  /** The messages about its fields, if it was refused for them. */
  problems: string[];
}

/** Sends a signed callback about a call. `id` is the id of the message. */
export async function sendCallback(
  { url, config }: Pick<TestMarket, 'url' | 'config'>,
  { invocationId, secret }: { invocationId: string; secret: string },
  message: unknown,
  id: string = randomUUID(),
): Promise<CallbackReply> {
  const body = Buffer.from(JSON.stringify(message));
  const token = createCallbackTokens(config.SESSION_SECRET).of(invocationId);
  const signed = signWebhook(secret, id, Math.floor(Date.now() / 1_000), body);
  const response = await fetch(`${url}/v1/callbacks/${invocationId}/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body,
  });
  const answer = (await response.json()) as {
    status?: string;
    error?: { code: string };
    detail?: { msg: string }[];
  };
  return {
    status: response.status,
    code: answer.error?.code ?? answer.status,
    problems: (answer.detail ?? []).map(({ msg }) => msg),
  };
}
