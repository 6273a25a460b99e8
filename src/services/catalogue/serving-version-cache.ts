import { readServingVersionOf } from '../../stores/catalogue/agent-owners';
import type { Db } from '../../stores/db';
import {
  readServingVersion,
  readServingVersionId,
  type ServingVersion,
} from '../../stores/catalogue/serving-versions';
import { refusalOfHidden } from './hidden-agents';
import { BoundedMap } from '../../kit/bounded-map';

const MAX_VERSIONS = 500;

/**
 * The serving versions of agents. The id of the serving version is read for each call, so that a new price applies as
 * soon as its version is live. The version itself is immutable and cached (specification, Versioning 4 and 5).
 */
export function createServingVersions(deps: { db: Db }) {
  const known = new BoundedMap<string, ServingVersion>(MAX_VERSIONS);
  /** Ids of the serving versions as last read, by agent. */
  const last = new BoundedMap<string, string>(MAX_VERSIONS);

  async function byId(versionId: string): Promise<ServingVersion> {
    const cached = known.use(versionId);
    if (cached) return cached;
    const version = await readServingVersion(deps.db, versionId);
    if (!version) throw new Error(`version ${versionId} does not exist`);
    known.set(versionId, version);
    return version;
  }

  return {
    byId,
    /**
     * The agent's serving version as last read, without a query. Use it only where a stale version is detected later,
     * before it has any effect, and then call `forget`.
     */
    lately(agentId: string): ServingVersion | undefined {
      const versionId = last.get(agentId);
      return versionId === undefined ? undefined : known.get(versionId);
    },
    forget: (agentId: string): boolean => last.delete(agentId),
    /**
     * The serving version of an agent. Throws `not_found` if the agent is not live; `invalid_state` if the caller owns
     * it and it is suspended or retired.
     */
    async ofAgent(agentId: string, callerUserId?: string): Promise<ServingVersion> {
      const versionId = await readServingVersionId(deps.db, agentId);
      last.delete(agentId);
      if (versionId === undefined) throw await refusalOfHidden(deps.db, { agentId }, callerUserId);
      last.set(agentId, versionId);
      return byId(versionId);
    },

    /**
     * The serving version of a developer's slug, in its highest live major version. `owner` may omit the prefix `dev_`.
     * Throws as `ofAgent` does.
     */
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
