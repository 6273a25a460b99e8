import { type AgentVisibility, MOST_IN_AUDIENCE } from '../../../domain/catalogue/agent-state';
import { MarketError } from '../../../domain/errors';
import {
  addToAudience,
  type AudiencePage,
  type AudienceRow,
  countAudience,
  findOwners,
  listAudience,
  listShared,
  removeFromAudience,
  setVisibility,
} from '../../../stores/catalogue/visibility/audience';
import { type Db, type DbPool, withTransaction } from '../../../stores/db';
import { readOwnAgent } from '../own-agent';
import { lockOwnAgent } from '../publishing';

export type { AudienceRow };

/**
 * Whom an agent is shown to (docs/private-agents.md). Calls that run go on as they began; the statement that accepts a
 * call decides whether its buyer may know the agent. Throws `not_found` for the agents of others.
 */
export function createAgentVisibility({ pool }: { pool: DbPool }) {
  return {
    /** Throws `invalid_state` for a retired agent. */
    set: (userId: string, agentId: string, visibility: AgentVisibility): Promise<void> =>
      withOwnAgent(pool, userId, agentId, (tx) => setVisibility(tx, agentId, visibility)),

    /**
     * Adds accounts, organisations or developers by their ids. Throws 422 for ids that no account has, and
     * `invalid_state` if the audience would have more than 1,000.
     */
    add: (userId: string, agentId: string, names: readonly string[]): Promise<void> =>
      withOwnAgent(pool, userId, agentId, (tx) => addNamed(tx, { userId, agentId, names })),

    /** Throws `not_found` if the audience has no such account. Its running calls go on. */
    remove: (userId: string, agentId: string, name: string): Promise<void> =>
      withOwnAgent(pool, userId, agentId, async (tx) => {
        if (!(await removeFromAudience(tx, agentId, name))) throw new MarketError('not_found');
      }),

    /** The audience by the ids of its accounts. `part`: only ids that contain it. */
    async list(userId: string, agentId: string, page: AudiencePage) {
      await readOwnAgent(pool, userId, agentId);
      return listAudience(pool, agentId, page);
    },

    /** The private agents of others that are shown to an account, by their ids. */
    shared: (userId: string, page: { limit: number; afterId: string | undefined }) =>
      listShared(pool, userId, page),
  };
}

export type AgentVisibilityService = ReturnType<typeof createAgentVisibility>;

/** Does `work` while an own agent is locked. Throws `invalid_state` for a retired one. */
export async function withOwnAgent(
  pool: DbPool,
  userId: string,
  agentId: string,
  work: (tx: Db) => Promise<void>,
): Promise<void> {
  await withTransaction(pool, async (tx) => {
    requireNotRetired(await lockOwnAgent(tx, userId, agentId));
    await work(tx);
  });
}

/** Throws `invalid_state` for a retired agent. */
export function requireNotRetired({ status }: { status: string }): void {
  if (status === 'retired') throw new MarketError('invalid_state', { message: 'The agent is retired.' });
}

async function addNamed(
  tx: Db,
  { userId, agentId, names }: { userId: string; agentId: string; names: readonly string[] },
): Promise<void> {
  const known = await findOwners(tx, names);
  const found = new Set(known.map(({ namedAs }) => namedAs));
  const detail = names.flatMap((name, at) =>
    found.has(name)
      ? []
      : [{ loc: ['body', 'accounts', at], msg: `no account has the id ${name}`, type: 'unknown' }],
  );
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
  await addToAudience(
    tx,
    agentId,
    known.filter(({ ownerId }) => ownerId !== userId),
  );
  await requireRoom(tx, agentId);
}

/** Throws `invalid_state` if the audience of a locked agent is too large. */
export async function requireRoom(tx: Db, agentId: string): Promise<void> {
  if ((await countAudience(tx, agentId)) > MOST_IN_AUDIENCE)
    throw new MarketError('invalid_state', {
      message: `The audience of an agent has at most ${MOST_IN_AUDIENCE} accounts. Remove some, or add their organisation instead.`,
    });
}
