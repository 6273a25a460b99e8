/** Every new grant counts among those of its account, has limits that fit it, and is announced by mail. */
import { foreignPins, type GrantLimits, MAX_GRANTS_PER_ACCOUNT } from '../../domain/accounts/oauth-grant';
import { MarketError } from '../../domain/errors';
import { newId } from '../../kit/ids/ids';
import { lockedRole } from '../organisations/guards';
import { requestMail } from '../../stores/accounts/mails';
import type { Db } from '../../stores/db';
import { storedLimits } from '../accounts/key-wish';
import {
  countGrantsForUpdate,
  insertGrant,
  type NewGrant,
  type StoredGrantLimits,
} from '../../stores/oauth/oauth-grants';

type Wish = Omit<NewGrant, 'grantId' | 'keyId' | 'limits'> & { limits: GrantLimits };

/**
 * Stores a grant and returns its id. Throws `invalid_state` for too many grants, or limits that do not fit, `not_found`
 * or `forbidden` for an organisation for which its maker may not do this.
 */
export async function createGrant(tx: Db, wish: Wish): Promise<string> {
  requireFit(wish.agentId, wish.limits);
  // A removal of the member comes before or after, and ends the grant then.
  if (wish.createdBy !== null) await lockedRole(tx, wish.userId, wish.createdBy, 'keys');
  if ((await countGrantsForUpdate(tx, wish.userId)) >= MAX_GRANTS_PER_ACCOUNT) {
    throw new MarketError('invalid_state', {
      message: `An account has at most ${MAX_GRANTS_PER_ACCOUNT} grants. Revoke one that you no longer use.`,
    });
  }
  const grantId = newId('ogr');
  await insertGrant(tx, { ...wish, grantId, keyId: newId('key'), limits: inUnits(wish.limits) });
  const subject = `grant ${grantId} for ${wish.agentId ?? 'the market'}`;
  await requestMail(tx, { recipient: wish.userId, kind: 'oauth_grant_created', subject });
  return grantId;
}

/** Throws `invalid_state` if a grant cannot have such limits. */
export function requireFit(
  agentId: string | null,
  limits: Pick<GrantLimits, 'capWindow' | 'onlyAgents' | 'pinnedAgents'>,
): void {
  const { capWindow, onlyAgents, pinnedAgents } = limits;
  if (agentId !== null && (capWindow !== 'lifetime' || onlyAgents !== null || pinnedAgents !== null))
    throw new MarketError('invalid_state', {
      message:
        'This grant is for one agent: it has a cap over its lifetime, and neither a list of agents nor pins.',
    });
  const foreign = foreignPins(limits);
  if (foreign.length > 0)
    throw new MarketError('invalid_state', {
      message: `${foreign.join(', ')} cannot be pinned, because the grant may not call it: add it to the list of agents, or remove the pin.`,
    });
}

export const inUnits = ({ pinnedAgents, ...limits }: GrantLimits): StoredGrantLimits => ({
  ...storedLimits(limits),
  pinnedAgents,
});
