/** The quotas of what is stored for an account: answers that are fetched later, and tasks (ADR 0203). */
import type { Config } from '../../config';
import { MarketError } from '../../domain/errors';
import { readStoredBytes } from '../../stores/calls/stored-bytes';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { Db } from '../../stores/db';

/** Bytes are counted by the hour in which they expire. */
const FULL_RETRY_SECONDS = 3_600;

/** Bytes that may be stored for an account, of free and of paid calls, before more are refused. */
export type StoredQuotas = Pick<Config, 'MAX_STORED_BYTES_FREE' | 'MAX_STORED_BYTES_PAID'>;

export const quotaOf = (quotas: StoredQuotas, isFree: boolean): number =>
  isFree ? quotas.MAX_STORED_BYTES_FREE : quotas.MAX_STORED_BYTES_PAID;

/** The refusal of what would be stored for an account that has its quota stored. */
export function storedFull(): MarketError {
  const message =
    'As many bytes of inputs and answers are stored for this account as may be. Stored bodies expire a day after their call, or when the agent deletes them.';
  return new MarketError('rate_limited', { message, retryAfterSeconds: FULL_RETRY_SECONDS });
}

/**
 * Checks, before a call is accepted whose answer is fetched later, that the answer may be stored. Throws
 * `rate_limited`. A call that may be free needs room of both kinds.
 */
export async function requireStoredRoom(
  db: Db,
  quotas: StoredQuotas,
  buyerUserId: string,
  { freeTierCalls, terms }: Pick<ServingVersion, 'freeTierCalls' | 'terms'>,
): Promise<void> {
  const stored = await readStoredBytes(db, buyerUserId);
  const mayBeFree = freeTierCalls > 0 || terms.maxCredits === 0;
  const isFull =
    stored.paid >= quotas.MAX_STORED_BYTES_PAID || (mayBeFree && stored.free >= quotas.MAX_STORED_BYTES_FREE);
  if (isFull) throw storedFull();
}
