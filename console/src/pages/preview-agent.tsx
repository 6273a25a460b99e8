import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { Visibility } from '../features/catalogue/standing';
import { Page } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { AgentView } from './agent';

/** An own agent as buyers will see it, also before they do. */
export function PreviewAgentPage() {
  const id = useParam('agentId');
  const query = useQuery(get('/v1/developer/agents/{agent_id}/preview', { path: { agent_id: id } }));
  const back = { to: `/developer/agents/${id}`, label: 'Your agent' };
  if (query.data)
    return (
      <>
        <Alert color="blue" variant="light" mb="lg" title="Preview">
          So buyers see the agent once it is listed.
        </Alert>
        <Visibility id={id} />
        <div className="preview">
          <AgentView listing={query.data} back={back} />
        </div>
      </>
    );
  return (
    <Page title="Preview" back={back}>
      <QueryView query={query}>{() => null}</QueryView>
    </Page>
  );
}
