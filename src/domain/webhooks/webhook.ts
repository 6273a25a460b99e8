/** Webhook endpoints of accounts (contract, "Webhooks"). */
import type { EventType } from './event';

export const MAX_WEBHOOKS_PER_ACCOUNT = 50;

/** Default grace period in which the previous secret still signs beside the new one. */
export const DEFAULT_GRACE_SECONDS = 86_400;
export const MAX_GRACE_SECONDS = 7 * 86_400;
/** Maximum number of secrets that sign at the same time, including the newest. */
export const MAX_SECRETS = 3;

/** `owner`: disabled by its owner. `gone`: the endpoint answered 410. */
export type DisabledReason = 'owner' | 'gone';

/** Event types about the account, not about one of its agents. */
const OF_THE_ACCOUNT: ReadonlySet<EventType> = new Set([
  'payout.initiated',
  'payout.completed',
  'payout.failed',
  'credits.loaded',
  'topup.failed',
  'rubric.announced',
  'price.announced',
]);

/** The event types that an endpoint for a single agent can never receive. */
export function typesWithoutAgent(types: readonly EventType[]): EventType[] {
  return types.filter((type) => OF_THE_ACCOUNT.has(type));
}

/**
 * True when an endpoint may subscribe to these types for another developer's agent: only the trust score of
 * listed agents is public.
 */
export function mayHearOfOthers(types: readonly EventType[]): boolean {
  return types.every((type) => type === 'trust_score.updated');
}

export interface SigningSecret {
  /** `whsec_…`, or `whsk_…` for a key pair */
  secret: string;
  /** End of the secret's validity in epoch milliseconds; null for the newest secret. */
  untilMs: number | null;
}

/** The secrets that are valid at a time, newest first. */
export function secretsAt(secrets: readonly SigningSecret[], nowMs: number): SigningSecret[] {
  return secrets.filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
}

/**
 * Adds a new secret in front. Older secrets stay valid for at most the grace period; without one they are
 * removed.
 */
export function rotateSecrets(
  secrets: readonly SigningSecret[],
  fresh: string,
  { nowMs, graceMs }: { nowMs: number; graceMs: number },
): SigningSecret[] {
  const until = nowMs + graceMs;
  const older = secretsAt(secrets, nowMs).map(({ secret, untilMs }) => ({
    secret,
    untilMs: Math.min(untilMs ?? until, until),
  }));
  return [{ secret: fresh, untilMs: null }, ...secretsAt(older, nowMs)];
}
