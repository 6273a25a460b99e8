import { send, type Answer } from '../../client/http';
import { Ask } from '../../ui/ask';
import { LinkButton } from '../../ui/link';

type OperatorAgent = Answer<'/v1/operator/agents/{agent_id}', 'get'>;

/** What an operator can do with an agent in its state: an active one is suspended, a suspended one is reinstated. */
export function AgentMoves({ agent: { agent_id: id, status, listed } }: { agent: OperatorAgent }) {
  const path = { agent_id: id };
  return (
    <>
      {listed && (
        <LinkButton to={`/agents/${id}`} variant="default" size="xs">
          As buyers see it
        </LinkButton>
      )}
      {status === 'suspended' && (
        <Ask
          action="Reinstate"
          question="The agent takes calls again. Buyers find it, if nothing else keeps it out of the search."
          reason="Reason"
          done="The agent is active."
          run={(reason) =>
            send('post', '/v1/operator/agents/{agent_id}/reinstate', { path, body: { reason } })
          }
        />
      )}
      {status === 'active' && (
        <Ask
          action="Suspend"
          danger
          question="The agent leaves the search, and new calls are refused. Calls in progress go on."
          reason="Reason, which the developer reads"
          done="The agent is suspended."
          run={(reason) => send('post', '/v1/operator/agents/{agent_id}/suspend', { path, body: { reason } })}
        />
      )}
    </>
  );
}
