/** What its owner wants of an API key. */
import type { ApiScope } from '../../domain/accounts/api-key';
import type { KeyLimits } from '../../domain/accounts/oauth-grant';
import { creditsToUnits } from '../../domain/ledger/money';
import type { StoredLimits } from '../../stores/accounts/key-limits';

export interface KeyWish {
  name: string;
  scopes: readonly ApiScope[];
  limits: KeyLimits;
  /** ISO 8601; null if the key does not expire. */
  expiresAt: string | null;
}

/** Omitted members keep their values. */
export type KeyChange = { name?: string | undefined } & Partial<KeyLimits>;

const unitsOf = (credits: number | null) => (credits === null ? null : creditsToUnits(credits));

/** Limits as they are stored. */
export const storedLimits = ({ creditCap, callCap, ...rest }: KeyLimits): StoredLimits => ({
  ...rest,
  creditCapUnits: unitsOf(creditCap),
  callCapUnits: unitsOf(callCap),
});

/** A change as it is stored. */
export const storedChange = ({ creditCap, callCap, ...rest }: KeyChange) => ({
  ...rest,
  ...(creditCap !== undefined && { creditCapUnits: unitsOf(creditCap) }),
  ...(callCap !== undefined && { callCapUnits: unitsOf(callCap) }),
});
