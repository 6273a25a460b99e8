import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { sessionQuery } from '../client/session';
import { Playground } from '../features/playground/playground';
import { Page } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { isolated } from '../ui/isolated';

export function TryAgentPage() {
  const agentId = useParam('agentId');
  const session = useQuery(sessionQuery);
  const query = useQuery(get('/v1/listings/{agent_id}', { path: { agent_id: agentId } }));
  const name = query.data?.display_name;
  return (
    <Page
      title={name ? `Try ${isolated(name)}` : 'Try an agent'}
      back={{ to: `/agents/${agentId}`, label: name ?? 'Agent' }}
      subtitle={query.data?.description}
    >
      <QueryView query={query}>
        {(listing) => <Playground listing={listing} isVisitor={session.data === null} />}
      </QueryView>
    </Page>
  );
}
