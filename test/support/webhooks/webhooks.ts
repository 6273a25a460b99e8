/** Endpoints of accounts, and what their receivers check. */
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { WebhookEvent } from '../../../src/contract/event-data';
import { EVENT_TYPES } from '../../../src/domain/webhooks/event';
import { compileCheck } from '../../../src/kit/schemas/validator';
import { eventually, type TestMarket, type TestUser } from '../market';
import type { HookServer, Told } from './hook-server';
import { request, type Reply } from '../catalogue/publishing';

export interface WebhookView {
  webhook_id: string;
  url: string;
  types: string[];
  agent_id: string | null;
  enabled: boolean;
  disabled_reason: string | null;
  public_key: string | null;
  previous_secret_expires_at: string | null;
  /** Only when it was made. */
  secret: string;
}

export interface DeliveryReply {
  delivery_id: string;
  event_id: string;
  status: 'pending' | 'delivered' | 'failed' | 'gone';
  body: { type: string; timestamp: string; data: Record<string, unknown> };
  attempts: {
    attempt: number;
    at: string;
    status: number | null;
    error: string | null;
    answer: string | null;
  }[];
  next_attempt_at: string | null;
}

type Market = Pick<TestMarket, 'url'>;
type Who = Pick<TestUser, 'cookie'>;

export function postWebhook(market: Market, who: Who, body: unknown): Promise<Reply<WebhookView>> {
  return request(market, who, 'POST', '/v1/webhooks', body);
}

/** A receiver at a path of its own. */
export interface Receiver extends WebhookView {
  path: string;
  told(): Told[];
  deliveries(): Promise<DeliveryReply[]>;
}

/** Makes a webhook for a new path of the server. */
export async function startReceiver(
  market: Market,
  who: Who,
  hook: HookServer,
  more: { types: string[]; agent_id?: string | null },
): Promise<Receiver> {
  const path = `/${randomUUID()}`;
  const made = await postWebhook(market, who, { url: hook.url + path, ...more });
  if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`);
  return {
    ...made.body,
    path,
    told: () => hook.told.filter((told) => told.path === path),
    async deliveries() {
      const list = `/v1/webhooks/${made.body.webhook_id}/deliveries?limit=100`;
      return (await request<{ items: DeliveryReply[] }>(market, who, 'GET', list)).body.items;
    },
  };
}

export const redeliver = (market: Market, who: Who, webhookId: string, deliveryId: string) =>
  request<DeliveryReply>(market, who, 'POST', `/v1/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`);

/** Verifies a delivery by the library and returns its event; throws when the signature is wrong. */
export function verify(secret: string, { text, headers }: Pick<Told, 'text' | 'headers'>) {
  return new Webhook(secret).verify(text, headers as Record<string, string>) as DeliveryReply['body'];
}

/** The same for an event of the service; also throws when it has another form than the contract says. */
export function verifyEvent(secret: string, told: Pick<Told, 'text' | 'headers'>) {
  const body = verify(secret, told);
  const problems = eventProblems(body);
  if (problems.length > 0) throw new Error(`${told.text} is no WebhookEvent: ${problems.join('; ')}`);
  return body;
}

const documented = new Set<string>([...EVENT_TYPES, 'webhook.test']);

/** What differs between the body of an event and its form in the contract; nothing for types that tests make up. */
export function eventProblems(body: { type: string; timestamp: string; data: unknown }): string[] {
  if (!documented.has(body.type)) return [];
  const form = WebhookEvent.anyOf.find((member) => member.properties['type']?.const === body.type);
  if (!form) return ['the contract has no such event'];
  return compileCheck(form, 'event')(body).map(({ loc, msg }) => `${loc.join('.')} ${msg}`);
}

/** Waits until the receiver got that many deliveries. */
export async function toldTimes(receiver: Receiver, times: number, timeoutMs = 15_000): Promise<Told[]> {
  await eventually(async () => receiver.told().length >= times, timeoutMs);
  return receiver.told();
}

/** The same for the `data` of a row of `events`. */
export const eventDataProblems = (type: string, data: unknown): string[] =>
  eventProblems({ type, timestamp: new Date().toISOString(), data });
