import { readServingVersionOf } from '../../stores/catalogue/agent-owners';
import type { Db } from '../../stores/db';
import {
  readServingVersion,
  readServingVersionId,
  type ServingVersion,
} from '../../stores/catalogue/serving-versions';
import { refusalOfHidden } from './hidden-agents';

const MAX_VERSIONS = 500;

/**
 * The version that serves an agent now. Which one it is, is asked every time, so that a price changes at the
 * instant a version goes live; what it says is immutable and kept (specification, Versioning 4 and 5).
 */
export function createServingVersions(deps: { db: Db }) {
  const known = new Map<string, ServingVersion>();
  /** Ids of the versions that served when last asked, by agent. */
  const last = new Map<string, string>();

  async function byId(versionId: string): Promise<ServingVersion> {
    const cached = known.get(versionId);
    if (cached) {
      known.delete(versionId);
      known.set(versionId, cached);
      return cached;
    }
    const version = await readServingVersion(deps.db, versionId);
    if (!version) throw new Error(`version ${versionId} does not exist`);
    known.set(versionId, version);
    const oldest = known.keys().next().value;
    if (known.size > MAX_VERSIONS && oldest !== undefined) known.delete(oldest);
    return version;
  }

  return {
    byId,
    /**
     * The version that served the agent when last asked: for whoever finds out before anything hangs on it that it no
     * longer does, and says so by `forget`.
     */
    lately(agentId: string): ServingVersion | undefined {
      const versionId = last.get(agentId);
      return versionId === undefined ? undefined : known.get(versionId);
    },
    forget: (agentId: string): boolean => last.delete(agentId),
    /**
     * Throws 404 `not_found` for an agent that does not exist, is not live, suspended or retired; to the owner of the
     * last two 409 `invalid_state`.
     */
    async ofAgent(agentId: string, callerUserId?: string): Promise<ServingVersion> {
      const versionId = await readServingVersionId(deps.db, agentId);
      last.delete(agentId);
      if (versionId === undefined) throw await refusalOfHidden(deps.db, { agentId }, callerUserId);
      last.set(agentId, versionId);
      if (last.size > MAX_VERSIONS) last.delete(last.keys().next().value ?? '');
      return byId(versionId);
    },

    /** Of a developer's slug, in its highest live major version; `owner` with or without `dev_`. Throws the same. */
    async ofOwner(owner: string, slug: string, callerUserId: string): Promise<ServingVersion> {
      const developerId = owner.startsWith('dev_') ? owner : `dev_${owner}`;
      const serving = await readServingVersionOf(deps.db, developerId, slug);
      if (!serving) throw await refusalOfHidden(deps.db, { slug }, callerUserId);
      return byId(serving.versionId);
    },
  };
}

export type ServingVersions = ReturnType<typeof createServingVersions>;

export type { ServingVersion };
