/** How an account is closed when its erasure begins: nothing of it works any more, and nothing new can begin. */
import { endAccess, endOpenEntries } from '../../stores/accounts/access-ends';
import { deleteSessionsOfUser } from '../../stores/accounts/sessions';
import { closeUser } from '../../stores/accounts/users';
import { supersedeOthers } from '../../stores/catalogue/agent-versions';
import { setAgentStatus } from '../../stores/catalogue/agents';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { type DeletionRow, lockUnretired, noteLeft } from '../../stores/leaving/deletions';
import { endMembership } from '../../stores/organisations/members';
import { endOrganisation, listMemberships, lockOrganisation } from '../../stores/organisations/organisations';

/** Agents that one transaction retires. */
const RETIRED_AT_ONCE = 20;
/** How long one step retires agents; the next one goes on. */
const RETIRE_FOR_MS = 10_000;

/**
 * Locks the organisation that is deleted, or those of the person whose account is, in the order of their ids, so that
 * two owners who leave at once do not both rely on the other. Returns their ids.
 */
export async function lockOrganisationsOf(
  tx: Db,
  { userId, requestedBy }: DeletionRow,
): Promise<readonly string[]> {
  const orgIds = requestedBy === null ? await listMemberships(tx, userId) : [userId];
  for (const orgId of orgIds) await lockOrganisation(tx, orgId);
  return orgIds;
}

/**
 * Closes an account, and ends its logins, keys, grants and memberships; an organisation ends with all its memberships
 * and invitations. Throws if a person has joined an organisation that is not among `locked`: the next attempt locks it
 * too.
 */
export async function closeAccount(tx: Db, deletion: DeletionRow, locked: readonly string[]): Promise<void> {
  const { userId, requestedBy } = deletion;
  await closeUser(tx, userId);
  if (requestedBy === null) await leaveOrganisations(tx, deletion, locked);
  else await endOrganisation(tx, userId);
  await deleteSessionsOfUser(tx, userId);
  await endOpenEntries(tx, userId);
  await endAccess(tx, userId, { keys: true, grants: true });
}

async function leaveOrganisations(
  tx: Db,
  { deletionId, userId }: DeletionRow,
  locked: readonly string[],
): Promise<void> {
  // A person whose account is closed joins none, so the list stays as it is.
  const joined = await listMemberships(tx, userId);
  if (joined.some((orgId) => !locked.includes(orgId)))
    throw new Error(`account ${userId} has joined an organisation meanwhile`);
  for (const orgId of joined) await endMembership(tx, orgId, userId);
  await noteLeft(tx, deletionId, joined);
}

/** Retires the agents of an account in batches, for a while. Returns whether none is left. */
export async function retireAgents(pool: DbPool, userId: string): Promise<boolean> {
  const untilMs = performance.now() + RETIRE_FOR_MS;
  while (performance.now() < untilMs) {
    const retired = await withTransaction(pool, async (tx) => {
      const agentIds = await lockUnretired(tx, userId, RETIRED_AT_ONCE);
      for (const agentId of agentIds) {
        await setAgentStatus(tx, agentId, 'retired');
        await supersedeOthers(tx, agentId, ['submitted'], null);
      }
      return agentIds.length;
    });
    if (retired < RETIRED_AT_ONCE) return true;
  }
  return false;
}
