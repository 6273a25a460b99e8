/** Callbacks of agents about their jobs, as an agent sends them. */
import { randomUUID } from 'node:crypto';
import { createCallbackTokens } from '../../../src/kit/crypto/callback-token';
import { signWebhook } from '../../../src/kit/crypto/webhook-signature';
import type { Delivery } from '../agents/behaviours';
import type { TestMarket } from '../market';

export interface CallbackReply {
  status: number;
  /** `accepted`, or the code of the error. */
  code: string | undefined;
  /** The messages about its fields, if it was refused for them. */
  problems: string[];
  body: CallbackBody;
}

interface CallbackBody {
  status?: string;
  question_id?: string;
  error?: { code: string };
  detail?: { msg: string }[];
}

/** Sends a signed callback to the address of a call. `id` is the id of the message. */
export async function postCallback(
  address: string,
  secret: string,
  message: unknown,
  id: string = randomUUID(),
): Promise<CallbackReply> {
  const body = Buffer.from(JSON.stringify(message));
  const signed = signWebhook(secret, id, Math.floor(Date.now() / 1_000), body);
  const headers = { 'content-type': 'application/json', ...signed };
  const response = await fetch(address, { method: 'POST', headers, body });
  const answer = (await response.json()) as CallbackBody;
  return {
    status: response.status,
    code: answer.error?.code ?? answer.status,
    problems: (answer.detail ?? []).map(({ msg }) => msg),
    body: answer,
  };
}

/** The address in a call that an agent got, at an API process. */
export const addressIn = ({ headers }: Pick<Delivery, 'headers'>, { url }: { url: string }): string =>
  url + new URL(String(headers['x-callback-url'])).pathname;

/** The same, to the address that a call has. */
export function sendCallback(
  { url, config }: Pick<TestMarket, 'url' | 'config'>,
  { invocationId, secret }: { invocationId: string; secret: string },
  message: unknown,
  id?: string,
): Promise<CallbackReply> {
  const token = createCallbackTokens(config.SESSION_SECRET).of(invocationId);
  return postCallback(`${url}/v1/callbacks/${invocationId}/${token}`, secret, message, id);
}
