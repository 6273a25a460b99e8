import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { Time } from '../../ui/time';

/** What the marketplace observed in the agent's answers, such as a credential; nothing while there is nothing. */
export function AgentNotices({ id }: { id: string }) {
  const query = useQuery(
    get('/v1/developer/agents/{agent_id}/notices', { path: { agent_id: id }, query: { limit: 20 } }),
  );
  const notices = query.data?.items ?? [];
  if (notices.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" title="Observed in answers of this agent">
      <ul className="problems">
        {notices.map(({ notice_id: notice, message, version, first_seen_at: at }) => (
          <li key={notice}>
            {message} Version {version}, since <Time at={at} />.
          </li>
        ))}
      </ul>
    </Alert>
  );
}
