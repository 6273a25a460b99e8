import type { AgentNoticeKind } from '../../domain/catalogue/agent-notice';
import { newId } from '../../kit/ids/ids';
import type { Logger } from '../../logger';
import { insertNotice, listNotices } from '../../stores/catalogue/agent-notices';
import type { Db } from '../../stores/db';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import { readOwnAgent } from './own-agent';
import { BoundedMap } from '../../kit/bounded-map';

const MAX_WRITTEN = 10_000;

/** Notices to the owner of an agent. Each is written once per version and kind, no matter how often it occurs. */
export function createAgentNotices(deps: { pool: Db; logger: Logger }) {
  const { pool, logger } = deps;
  /** Notices that this process has already written. */
  const written = new BoundedMap<string, true>(MAX_WRITTEN);

  return {
    /** Writes a notice. Never throws, so it need not be awaited. After a failure, the next occurrence writes it. */
    async tell(
      { agentId, versionId }: Pick<ServingVersion, 'agentId' | 'versionId'>,
      kind: AgentNoticeKind,
    ): Promise<void> {
      const key = `${versionId} ${kind}`;
      if (written.has(key)) return;
      written.set(key, true);
      try {
        await insertNotice(pool, { noticeId: newId('ntc'), agentId, versionId, kind });
      } catch (error) {
        written.delete(key);
        logger.warn({ err: error, agentId, kind }, 'could not write a notice for an owner');
      }
    },

    /** Newest first. Throws `not_found` for everybody but the agent's owner. */
    async list(userId: string, agentId: string, page: { limit: number; beforeId?: string | undefined }) {
      await readOwnAgent(pool, userId, agentId);
      return listNotices(pool, agentId, page);
    },
  };
}

export type AgentNotices = ReturnType<typeof createAgentNotices>;
export type AgentNotice = Awaited<ReturnType<AgentNotices['list']>>['rows'][number];
