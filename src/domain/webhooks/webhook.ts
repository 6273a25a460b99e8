/** Endpoints that accounts want to be told at (contract, "Webhooks"). */
import type { EventType } from './event';

export const MAX_WEBHOOKS_PER_ACCOUNT = 50;

/** For how long the secret before still signs beside the new one, unless the owner says otherwise. */
export const DEFAULT_GRACE_SECONDS = 86_400;
export const MAX_GRACE_SECONDS = 7 * 86_400;
/** Secrets that sign at once, the newest included. */
export const MAX_SECRETS = 3;

/** `owner`: switched off; `gone`: the endpoint answered 410. */
export type DisabledReason = 'owner' | 'gone';

/** Types that are about the account, not about one of its agents. */
const OF_THE_ACCOUNT: ReadonlySet<EventType> = new Set([
  'payout.initiated',
  'payout.completed',
  'payout.failed',
  'credits.loaded',
]);

/** Those of the types that an endpoint which names an agent would never be told of. */
export function typesWithoutAgent(types: readonly EventType[]): EventType[] {
  return types.filter((type) => OF_THE_ACCOUNT.has(type));
}

/** Whether these may be heard of an agent that belongs to somebody else: only the score of a listed one. */
export function mayHearOfOthers(types: readonly EventType[]): boolean {
  return types.every((type) => type === 'trust_score.updated');
}

export interface SigningSecret {
  /** `whsec_…` */
  secret: string;
  /** Signs until then (milliseconds since the epoch); null: the newest one. */
  untilMs: number | null;
}

/** The secrets that sign at a time, the newest first. */
export function secretsAt(secrets: readonly SigningSecret[], nowMs: number): SigningSecret[] {
  return secrets.filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
}

/** Puts a new secret before the others, which sign on for the grace at most; with no grace they are forgotten. */
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
