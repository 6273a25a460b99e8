import type { ToolChanges } from '../../../domain/catalogue/tools/tool-changes';
import type { ToolListState } from '../../../domain/catalogue/tools/tool-list';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import { readListNames } from '../../../stores/verification/tool-lists';
import type { Db } from '../../../stores/db';
import { recordEvent } from '../../../stores/webhooks/outbox';
import { shownDigest } from './tool-digest';

interface Announced {
  listId: string;
  digest: string;
  /** JSON. */
  changes: string;
  state: ToolListState;
}

/** Notifies the developer of an agent whose server lists other tools, and of what becomes of them. */
export async function announceChange(
  tx: Db,
  { agentId, versionId, developerUserId }: Pick<ServingVersion, 'agentId' | 'versionId' | 'developerUserId'>,
  { listId, digest, changes, state }: Announced,
): Promise<void> {
  const { tools, more } = JSON.parse(changes) as ToolChanges;
  const count = (kind: string) => tools.filter((tool) => tool.kind === kind).length;
  const { slug, version } = await readListNames(tx, versionId);
  await recordEvent(tx, {
    type: 'agent.tools_changed',
    data: {
      agent_id: agentId,
      slug,
      version,
      list_id: listId,
      state,
      tools_digest: shownDigest(digest),
      added: count('added'),
      removed: count('removed'),
      changed: count('changed') + more,
    },
    audience: { userIds: [developerUserId], agentId },
  });
}
