import { createHash, randomBytes } from 'node:crypto';
import type { AccessRequestState } from '../../../domain/catalogue/agent-state';
import { MarketError } from '../../../domain/errors';
import { lowestIdAt, newId } from '../../../kit/ids/ids';
import {
  type AccessRequestRow,
  countRequestsForUpdate,
  decideAccessRequest,
  deleteAccessLink,
  insertAccessRequest,
  type LinkedAgent,
  listRequestsFor,
  listRequestsOf,
  listWaitingRequests,
  putAccessLink,
  readAccessRequest,
  readLinkedAgent,
} from '../../../stores/catalogue/visibility/access-requests';
import { addToAudience } from '../../../stores/catalogue/visibility/audience';
import { type Db, type DbPool, withTransaction } from '../../../stores/db';
import { readOwnAgent } from '../own-agent';
import { lockOwnAgent } from '../publishing';
import { requireNotRetired, requireRoom, withOwnAgent } from './visibility';

export type { AccessRequestRow, LinkedAgent };

const DAY_MS = 86_400_000;
/** Requests of an account in a day. */
const MOST_IN_A_DAY = 20;
/** How long after a refusal an account may ask again. */
const ASK_AGAIN_MS = 7 * DAY_MS;
const TOKEN = /^acl_[A-Za-z0-9_-]{43}$/;

interface Page {
  limit: number;
  beforeId: string | undefined;
}

/**
 * Requests for access to private agents (docs/private-agents.md, ADR 0385). Only a link that the owner makes leads to a
 * private agent; its token cannot be guessed and is stored as a hash. Operations of owners throw `not_found` for the
 * agents of others.
 */
export function createAccessRequests({ pool, origin }: { pool: DbPool; origin: string }) {
  return {
    /** Makes the link of an agent, in place of the one before. The token is shown this once. */
    async makeLink(userId: string, agentId: string): Promise<{ token: string; url: string }> {
      const token = `acl_${randomBytes(32).toString('base64url')}`;
      await withOwnAgent(pool, userId, agentId, (tx) => putAccessLink(tx, agentId, hashOf(token)));
      return { token, url: `${origin}/console/access#${token}` };
    },

    /** Ends the link of an agent. Pending requests stay. Throws `not_found` without a link. */
    async endLink(userId: string, agentId: string): Promise<void> {
      await readOwnAgent(pool, userId, agentId);
      if (!(await deleteAccessLink(pool, agentId))) throw new MarketError('not_found');
    },

    /** The agent of a link. Throws `not_found` for a link that is not valid or whose agent is not live. */
    open: (userId: string, token: string): Promise<LinkedAgent> => linkedAgent(pool, token, userId),

    /**
     * Asks for access. Throws `not_found` as `open` does, `invalid_state` if the account sees the agent, has asked
     * already or was refused in the last seven days, and `rate_limited` beyond 20 requests in a day.
     */
    ask: (userId: string, token: string, reason: string): Promise<AccessRequestRow> =>
      withTransaction(pool, (tx) => askIn(tx, { userId, token, reason })),

    /**
     * Grants or refuses a request; the account gets a notice. Throws `invalid_state` for one that was decided
     * otherwise, and for a grant if the audience is full or the agent is retired.
     */
    async answer(
      userId: string,
      agentId: string,
      requestId: string,
      grants: boolean,
    ): Promise<AccessRequestRow> {
      const state = grants ? 'granted' : 'refused';
      await withTransaction(pool, async (tx) => {
        const agent = await lockOwnAgent(tx, userId, agentId);
        if (grants) requireNotRetired(agent);
        const request = await requireRequest(tx, agentId, requestId);
        if (request.state === state) return;
        if (request.state !== 'pending')
          throw new MarketError('invalid_state', { message: `The request was ${request.state}.` });
        await decideAccessRequest(tx, requestId, state);
        if (!grants) return;
        await addToAudience(tx, agentId, [{ ownerId: request.ownerId, namedAs: request.ownerId }]);
        await requireRoom(tx, agentId);
      });
      return requireRequest(pool, agentId, requestId);
    },

    /** The requests for an agent, newest first. */
    async list(userId: string, agentId: string, page: Page & { state: AccessRequestState | undefined }) {
      await readOwnAgent(pool, userId, agentId);
      return listRequestsFor(pool, agentId, page);
    },

    /** The requests that wait for the decision of a developer, of all of its agents, newest first. */
    listWaiting: (userId: string, page: Page) => listWaitingRequests(pool, userId, page),

    /** The requests of an account, newest first. */
    listOwn: (userId: string, page: Page) => listRequestsOf(pool, userId, page),
  };
}

export type AccessRequests = ReturnType<typeof createAccessRequests>;

async function askIn(
  tx: Db,
  { userId, token, reason }: Record<'userId' | 'token' | 'reason', string>,
): Promise<AccessRequestRow> {
  const now = Date.now();
  const asked = await countRequestsForUpdate(tx, userId, lowestIdAt('acr', now - DAY_MS));
  const agent = await linkedAgent(tx, token, userId);
  requireAskable(agent, now);
  if (asked >= MOST_IN_A_DAY)
    throw new MarketError('rate_limited', {
      message: `An account asks for access at most ${MOST_IN_A_DAY} times in a day.`,
      retryAfterSeconds: DAY_MS / 1_000,
    });
  const requestId = newId('acr');
  const { agentId, developerUserId } = agent;
  await insertAccessRequest(tx, { requestId, agentId, developerUserId, ownerId: userId, reason });
  return requireRequest(tx, agentId, requestId);
}

const hashOf = (token: string) => createHash('sha256').update(token).digest();

async function linkedAgent(db: Db, token: string, userId: string): Promise<LinkedAgent> {
  const agent = TOKEN.test(token) ? await readLinkedAgent(db, hashOf(token), userId) : undefined;
  if (!agent) throw new MarketError('not_found');
  return agent;
}

function requireAskable({ isShown, state, decidedAt }: LinkedAgent, now: number): void {
  const refuse = (message: string) => new MarketError('invalid_state', { message });
  if (isShown) throw refuse('You see this agent already.');
  if (state === 'pending')
    throw refuse('You have asked already. A notice follows when the owner has decided.');
  const again = state === 'refused' && decidedAt ? decidedAt.getTime() + ASK_AGAIN_MS : 0;
  if (again > now)
    throw refuse(`Your request was refused. You may ask again from ${new Date(again).toISOString()} on.`);
}

async function requireRequest(db: Db, agentId: string, requestId: string): Promise<AccessRequestRow> {
  const request = await readAccessRequest(db, agentId, requestId);
  if (!request) throw new MarketError('not_found');
  return request;
}
