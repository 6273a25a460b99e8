import { AgentCalls } from '../features/own-agents/agent-calls';
import { Id } from '../ui/id';
import { Page } from '../ui/page';
import { useParam } from '../ui/params';

/** The calls of an own agent, one by one, with why they failed. */
export function OwnAgentCallsPage() {
  const id = useParam('agentId');
  return (
    <Page
      title="Calls of your agent"
      back={{ to: `/developer/agents/${id}`, label: 'Agent' }}
      subtitle={
        <>
          <Id value={id} short={false} />
          <div>Your logs know a call by its id and its trace. The buyer and the input stay private.</div>
        </>
      }
    >
      <AgentCalls id={id} />
    </Page>
  );
}
