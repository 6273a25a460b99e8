/** What an API key may be used for (contract, "Accounts, sessions, keys"); each operation names the one it needs. */
export const API_SCOPES = [
  'agents:invoke',
  'agents:publish',
  'agents:read',
  'billing:read',
  'webhooks:manage',
] as const;
export type ApiScope = (typeof API_SCOPES)[number];

/** A rotated key's old secret works so long at most. */
export const MAX_GRACE_SECONDS = 86_400;
/** Keys that an account may have at once. */
export const MAX_KEYS_PER_ACCOUNT = 100;
/** Secrets of one key that may work at once: the newest, and old ones in their grace. */
export const MAX_SECRETS_PER_KEY = 10;
