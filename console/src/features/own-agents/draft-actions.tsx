import { send } from '../../client/http';
import { Ask } from '../../ui/ask';
import { Permitted } from '../../ui/owner';

interface DraftActionsProps {
  agentId: string;
  version: string;
  /** Called before the lists are read again. */
  onDeleted?: () => Promise<void>;
}

/** What a developer does with a draft: submits it for verification, or deletes it. */
export function DraftActions({ agentId, version, onDeleted }: DraftActionsProps) {
  const path = { agent_id: agentId, version };
  return (
    <Permitted needs="agents" quiet>
      <Ask
        action="Submit"
        question={`The marketplace verifies ${version}. It goes live when it passes, and cannot be deleted afterwards.`}
        done={`Version ${version} is submitted.`}
        run={() => send('post', '/v1/developer/agents/{agent_id}/versions/{version}/submit', { path })}
      />
      <Ask
        action="Delete"
        danger
        question={`The draft ${version} is deleted with its source. Its number can be published again.`}
        done={`The draft ${version} is deleted.`}
        run={async () => {
          await send('delete', '/v1/developer/agents/{agent_id}/versions/{version}', { path });
          await onDeleted?.();
        }}
      />
    </Permitted>
  );
}
