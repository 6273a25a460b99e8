import type { FieldProblem } from '../errors';
import { NOT_AN_INSTANT, parseInstant } from '../instant';

/**
 * Scopes of an API key (contract, "Accounts, sessions, keys"). Each operation in the contract names the scope
 * that it requires.
 */
export const API_SCOPES = [
  'agents:invoke',
  'agents:publish',
  'agents:read',
  'billing:read',
  'disputes:write',
  'keys:manage',
  'webhooks:manage',
] as const;
export type ApiScope = (typeof API_SCOPES)[number];

/** Maximum grace period in which the old secret of a rotated key remains valid. */
export const MAX_GRACE_SECONDS = 86_400;
/** Maximum number of active keys per account. */
export const MAX_KEYS_PER_ACCOUNT = 100;
/** Maximum number of active keys that a key has made. */
export const MAX_CHILD_KEYS = 1_000;
/** Maximum number of valid secrets per key: the newest, and older ones in their grace period. */
export const MAX_SECRETS_PER_KEY = 10;

/** Problems of the time when a key is to expire: an ISO 8601 time in the future. */
export function expiryProblems(text: string, now: Date): FieldProblem[] {
  const time = parseInstant(text);
  if (time && time > now) return [];
  const [msg, type] = time ? ['must be in the future', 'future'] : [NOT_AN_INSTANT, 'time'];
  return [{ loc: ['body', 'expires_at'], msg, type }];
}
