/** The verified tools of an agent and their changes, for everybody to whom the agent is shown. */
import type { ToolChanges } from '../../../domain/catalogue/tools/tool-changes';
import type { Tool } from '../../../domain/catalogue/tools/tool-list';
import { MarketError } from '../../../domain/errors';
import { signJws } from '../../../kit/crypto/jws';
import { canonicalJson } from '../../../kit/json/canonical-json';
import { readShownAgent } from '../../../stores/catalogue/agents';
import type { DbPool } from '../../../stores/db';
import {
  type ChangeRow,
  listChanges,
  putListSignature,
  readServedList,
} from '../../../stores/verification/tool-list-reads';
import type { SigningKeys } from '../../evidence/signing-keys';
import { shownDigest } from './tool-digest';

export function createToolListViews({ pool, keys }: { pool: DbPool; keys: Pick<SigningKeys, 'active'> }) {
  /** An agent that serves is shown to whom it is visible, any agent to its owner. Throws `not_found` otherwise. */
  async function isOwnerOf(userId: string | undefined, agentId: string): Promise<boolean> {
    const agent = await readShownAgent(pool, agentId, userId);
    const isOwner = userId !== undefined && agent?.developerUserId === userId;
    const serves = agent?.status === 'active' && agent.servingVersionId !== null;
    if (!agent || (!isOwner && !serves)) throw new MarketError('not_found');
    return isOwner;
  }

  return {
    /** The list that buyers are served. It is signed when it is first read. */
    async served(userId: string | undefined, agentId: string) {
      await isOwnerOf(userId, agentId);
      const list = await readServedList(pool, agentId);
      if (!list) throw new MarketError('not_found', { message: 'This agent has no verified list of tools.' });
      const terms = {
        agent_id: agentId,
        version: list.version,
        tools_digest: shownDigest(list.digest),
        run_id: list.runId,
        verified_at: list.decidedAt.toISOString(),
      };
      let { signature } = list;
      if (signature === null) {
        const header = { typ: 'tool-list+jws', agent_id: agentId };
        const signed = signJws(canonicalJson(terms), await keys.active(), header);
        signature = await putListSignature(pool, list.listId, signed);
      }
      return {
        ...terms,
        list_id: list.listId,
        taken_over: list.isTakenOver,
        is_change_waiting: list.isChangeWaiting,
        unavailable: list.gone,
        tools: JSON.parse(list.tools) as Tool[],
        signature,
      };
    },

    /** Newest first. The owner also gets the lists of versions that never served. */
    async changes(
      userId: string | undefined,
      agentId: string,
      page: { limit: number; beforeSequence?: string | undefined },
    ): Promise<{ rows: ChangeRow[]; total: number }> {
      const any = await isOwnerOf(userId, agentId);
      return listChanges(pool, agentId, { any, ...page });
    },
  };
}

export type ToolListViews = ReturnType<typeof createToolListViews>;

/** A list as the API shows it. */
export function changeView(row: ChangeRow) {
  const { tools: changes, more } = JSON.parse(row.changes) as ToolChanges;
  return {
    list_id: row.listId,
    version: row.version,
    state: row.state,
    tools_digest: shownDigest(row.digest),
    tool_count: row.toolCount,
    run_id: row.runId,
    seen_at: row.seenAt.toISOString(),
    decided_at: row.decidedAt?.toISOString() ?? null,
    reason: row.reason,
    changes,
    more,
  };
}
