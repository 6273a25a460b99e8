/** Deliveries of events to strangers' addresses: at least once, by a fixed schedule (contract, "Webhooks"). */

/** Whose address it is; each kind knows how its requests look (services/webhook-deliveries.ts). */
export type EndpointKind = 'a2a_push' | 'webhook';

/** `gone`: the endpoint answered 410 or was removed; nothing more is sent to it. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'gone';

/** `superseded`: its owner asked for it again, and another workflow delivers it now. */
export type DeliveryEnd = DeliveryState | 'superseded';

export interface WebhookDeliveryInput {
  deliveryId: string;
  /** How often its owner had asked for it again; absent: never. */
  round?: number;
  /** The schedule that holds for this round; absent: `RETRY_PAUSES_MS`. */
  pausesMs?: readonly number[];
}

/** How long each attempt waits after the one before: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000,
];

/** An attempt that takes longer has failed. */
export const ATTEMPT_LIMIT_MS = 15_000;

/** What an answer means; a redirect has failed like any other status that is not 2xx. */
export function verdictOf(status: number): 'delivered' | 'retry' | 'gone' {
  if (status >= 200 && status < 300) return 'delivered';
  return status === 410 ? 'gone' : 'retry';
}
