import { MarketError } from '../../domain/errors';
import type { Db } from '../../stores/db';
import { isVerifying, noteReverification } from '../../stores/catalogue/reverifications';

/** A verification makes dozens of calls, so its owner may ask for one at a time, and for one each hour. */
const REVERIFY_PAUSE_MS = 60 * 60 * 1_000;

/**
 * Throws `invalid_state` while a verification goes on, and `rate_limited` within an hour after the owner's last
 * request.
 */
export async function requireRest(tx: Db, agentId: string): Promise<void> {
  if (await isVerifying(tx, agentId))
    throw new MarketError('invalid_state', {
      message: 'A verification of this agent goes on. Wait for its report.',
    });
  const leftMs = await noteReverification(tx, agentId, REVERIFY_PAUSE_MS);
  if (leftMs > 0)
    throw new MarketError('rate_limited', {
      message: 'An agent can be verified again once an hour at its owner’s request.',
      retryAfterSeconds: Math.ceil(leftMs / 1_000),
    });
}
