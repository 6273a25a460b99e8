import { AgentCalls } from '../features/own-agents/agent-calls';
import { OneCall } from '../features/own-agents/one-call';
import { Id } from '../ui/id';
import { Page } from '../ui/page';
import { useParam, useSearchValue } from '../ui/params';

/** The calls of an own agent, one by one, with why they failed. */
export function OwnAgentCallsPage() {
  const id = useParam('agentId');
  const call = useSearchValue('call');
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
      {call === undefined ? <AgentCalls id={id} /> : <OneCall agentId={id} callId={call} />}
    </Page>
  );
}
