import { readServingVersionOf } from '../../stores/catalogue/agent-owners';
import type { Db } from '../../stores/db';
import {
  readPins,
  readServingVersion,
  readServingVersions,
  readShownServing,
  type ServingVersion,
} from '../../stores/catalogue/serving-versions';
import type { Viewer } from '../../domain/catalogue/agent-state';
import { refusalOfHidden } from './hidden-agents';
import { BoundedMap } from '../../kit/bounded-map';

const MAX_VERSIONS = 500;
/** A version never changes; the signing secret of its agent does, and a new one signs after this time at the latest. */
const FRESH_MS = 30_000;

/** Versions by their ids, as they were read lately. */
function createVersions(db: Db, now: () => number) {
  const known = new BoundedMap<string, { version: ServingVersion; readAt: number }>(MAX_VERSIONS);

  type Known = NonNullable<ReturnType<typeof known.get>>;
  const isFresh = (cached: Known | undefined): cached is Known =>
    cached !== undefined && now() - cached.readAt < FRESH_MS;

  async function byId(versionId: string): Promise<ServingVersion> {
    const cached = known.use(versionId);
    if (isFresh(cached)) return cached.version;
    const version = await readServingVersion(db, versionId);
    if (!version) throw new Error(`version ${versionId} does not exist`);
    known.set(versionId, { version, readAt: now() });
    return version;
  }

  /** The same for many versions, of which those that are not cached are read in one statement. */
  async function byIds(versionIds: readonly string[]): Promise<Map<string, ServingVersion>> {
    const found = new Map<string, ServingVersion>();
    for (const versionId of versionIds) {
      const cached = known.use(versionId);
      if (isFresh(cached)) found.set(versionId, cached.version);
    }
    const missing = versionIds.filter((versionId) => !found.has(versionId));
    for (const version of missing.length > 0 ? await readServingVersions(db, missing) : []) {
      known.set(version.versionId, { version, readAt: now() });
      found.set(version.versionId, version);
    }
    return found;
  }

  return {
    byId,
    byIds,
    /** A version that was read lately, without a query. */
    lately(versionId: string): ServingVersion | undefined {
      const cached = known.get(versionId);
      return isFresh(cached) ? cached.version : undefined;
    },
  };
}

/**
 * The serving versions of agents. The id of the serving version is read for each call, so that a new price applies as
 * soon as its version is live. The version itself is immutable and cached (specification, Versioning 4 and 5); it is
 * read again from time to time, because its agent may get another signing secret.
 */
export function createServingVersions(deps: { db: Db; now?: () => number }) {
  const { db, now = () => performance.now() } = deps;
  const { byId, byIds, lately } = createVersions(db, now);
  /** Ids of the serving versions as last read, by agent. Those of private agents are read anew for each caller. */
  const last = new BoundedMap<string, string>(MAX_VERSIONS);

  return {
    byId,
    /**
     * The agents that a key pins, in their order, each with its serving version unless it is not live. One statement
     * for all pins, and one more for the versions that are not cached.
     */
    async ofPins(userId: string, keyId: string): Promise<PinnedAgent[]> {
      const pins = await readPins(db, userId, keyId);
      const versions = await byIds(pins.flatMap(({ versionId }) => versionId ?? []));
      return pins.map(({ agentId, versionId }) => ({
        agentId,
        version: versionId === null ? undefined : versions.get(versionId),
      }));
    },

    /**
     * The agent's serving version as last read, without a query. Use it only where a stale version is detected later,
     * before it has any effect, and then call `forget`.
     */
    lately(agentId: string): ServingVersion | undefined {
      const versionId = last.get(agentId);
      return versionId === undefined ? undefined : lately(versionId);
    },
    forget: (agentId: string): boolean => last.delete(agentId),
    /**
     * The serving version of an agent. Throws `not_found` if the agent is not live, or is not shown to the viewer;
     * `invalid_state` if the viewer owns it and it is suspended or retired, unless `hidesState`.
     */
    async ofAgent(
      agentId: string,
      viewer: Viewer,
      { hidesState = false }: { hidesState?: boolean } = {},
    ): Promise<ServingVersion> {
      const serving = await readShownServing(db, agentId, viewer);
      last.delete(agentId);
      if (!serving) throw await refusalOfHidden(db, { agentId }, hidesState ? undefined : viewer);
      if (serving.visibility !== 'private') last.set(agentId, serving.versionId);
      return byId(serving.versionId);
    },

    /**
     * The serving version of a developer's slug, in its highest live major version that is shown to the viewer. `owner`
     * may omit the prefix `dev_`. Throws as `ofAgent` does.
     */
    async ofOwner(owner: string, slug: string, viewer: Viewer): Promise<ServingVersion> {
      const developerId = owner.startsWith('dev_') ? owner : `dev_${owner}`;
      const serving = await readServingVersionOf(db, developerId, slug, viewer);
      if (!serving) throw await refusalOfHidden(db, { slug }, viewer);
      return byId(serving.versionId);
    },
  };
}

/** An agent that a connection pins. `version` is absent if the agent is not live. */
export interface PinnedAgent {
  agentId: string;
  version: ServingVersion | undefined;
}

export type ServingVersions = ReturnType<typeof createServingVersions>;

export type { ServingVersion };
