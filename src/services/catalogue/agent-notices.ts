import { AGENT_NOTICES, type AgentNoticeKind } from '../../domain/catalogue/agent-notice';
import { MarketError } from '../../domain/errors';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import { newId } from '../../kit/ids/ids';
import type { Logger } from '../../logger';
import { insertNotice, listNotices } from '../../stores/catalogue/agent-notices';
import { readAgent } from '../../stores/catalogue/agents';
import type { Db } from '../../stores/db';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';

const MAX_TOLD = 10_000;
const POSITION = [/^ntc_[0-9a-f]{32}$/];

/** What an agent's owner should know of it, written once for each version and kind, however often it happens. */
export function createAgentNotices(deps: { pool: Db; logger: Logger }) {
  const { pool, logger } = deps;
  /** What this process knows to be written. */
  const told = new Set<string>();

  return {
    /** Never fails and need not be waited for: what could not be written is written the next time it happens. */
    async tell(
      { agentId, versionId }: Pick<ServingVersion, 'agentId' | 'versionId'>,
      kind: AgentNoticeKind,
    ): Promise<void> {
      const key = `${versionId} ${kind}`;
      if (told.has(key)) return;
      if (told.size >= MAX_TOLD) told.clear();
      told.add(key);
      try {
        await insertNotice(pool, { noticeId: newId('ntc'), agentId, versionId, kind });
      } catch (error) {
        told.delete(key);
        logger.warn({ err: error, agentId, kind }, 'a notice for an owner could not be written yet');
      }
    },

    /** Newest first; 404 `not_found` to everybody but the agent's owner. */
    async list(userId: string, agentId: string, page: { limit: number; cursor?: string | undefined }) {
      const agent = await readAgent(pool, agentId);
      if (agent?.developerUserId !== userId) throw new MarketError('not_found');
      const scope = `agent-notices/${agentId}`;
      const beforeId = readCursor(scope, page.cursor);
      const { rows, total } = await listNotices(pool, agentId, { limit: page.limit + 1, beforeId });
      const shown = rows.slice(0, page.limit);
      const last = rows.length > page.limit ? shown.at(-1) : undefined;
      return {
        items: shown.map(({ noticeId, kind, version, firstSeenAt }) => ({
          notice_id: noticeId,
          code: kind,
          message: AGENT_NOTICES[kind],
          version,
          first_seen_at: firstSeenAt.toISOString(),
        })),
        next_cursor: last ? encodeCursor(scope, [last.noticeId]) : null,
        total,
      };
    },
  };
}

export type AgentNotices = ReturnType<typeof createAgentNotices>;

function readCursor(scope: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [beforeId] = decodeCursor(scope, cursor, POSITION) ?? [];
  if (beforeId !== undefined) return beforeId;
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}
