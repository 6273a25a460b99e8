import { Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { Id } from '../../ui/id';
import { isolated } from '../../ui/isolated';
import { AppLink } from '../../ui/link';
import { Section } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';

type Request = ItemOf<'/v1/access-requests'>;

/** The requests for the agents of a developer that wait for a decision. */
export function WaitingRequests() {
  const query = useInfiniteQuery(list('/v1/developer/access-requests', { query: { limit: 25 } }));
  return (
    <Section title="Requests for your agents" note="What waits for your decision.">
      <ListTable<Request>
        label="Requests for your agents"
        query={query}
        keyOf={({ request_id: id }) => id}
        empty={
          <Empty title="Nothing waits">
            Accounts ask by a link that you make on the page of a private agent.
          </Empty>
        }
        columns={[
          { title: 'Asked', cell: ({ asked_at: at }) => <Time at={at} /> },
          { title: 'Account', cell: (one) => <Account request={one} /> },
          { title: 'Agent', cell: (one) => <AgentLink to={`/developer/agents/${one.agent_id}`} of={one} /> },
          { title: 'Reason', cell: (one) => <Reason request={one} /> },
          { title: '', right: true, cell: (one) => <Answer request={one} /> },
        ]}
      />
    </Section>
  );
}

/** The requests that the account sent, and what became of them. */
export function SentRequests() {
  const query = useInfiniteQuery(list('/v1/access-requests', { query: { limit: 25 } }));
  return (
    <Section title="Your requests">
      <ListTable<Request>
        label="Your requests"
        query={query}
        keyOf={({ request_id: id }) => id}
        empty={
          <Empty title="No requests yet">The developer of a private agent gives you a link to ask by.</Empty>
        }
        columns={[
          { title: 'Asked', cell: ({ asked_at: at }) => <Time at={at} /> },
          {
            title: 'Agent',
            cell: (one) =>
              one.state === 'granted' ? (
                <AgentLink to={`/agents/${one.agent_id}`} of={one} />
              ) : (
                <Text fz="sm" className="anywhere">
                  {one.agent_id}
                </Text>
              ),
          },
          { title: 'Reason', cell: (one) => <Reason request={one} /> },
          { title: 'State', cell: ({ state }) => <Status value={state} /> },
          { title: 'Decided', cell: ({ decided_at: at }) => (at === null ? '–' : <Time at={at} />) },
        ]}
      />
    </Section>
  );
}

const AgentLink = ({ to, of: { agent_id: id } }: { to: string; of: Request }) => (
  <AppLink to={to} className="anywhere">
    {id}
  </AppLink>
);

function Account({ request: { name, account_id: id } }: { request: Request }) {
  return (
    <Stack gap={0}>
      <Text fz="sm" fw={600}>
        <Written>{name}</Written>
      </Text>
      <Id value={id} />
    </Stack>
  );
}

const Reason = ({ request: { reason } }: { request: Request }) => (
  <Text fz="sm" className="anywhere" dir="auto">
    {reason}
  </Text>
);

function Answer({ request: { request_id: id, agent_id: agentId, name } }: { request: Request }) {
  const answer = (grant: boolean) => () =>
    send('post', '/v1/developer/agents/{agent_id}/access-requests/{request_id}/answer', {
      path: { agent_id: agentId, request_id: id },
      body: { grant },
    });
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Ask
        action="Grant"
        aria-label={`Grant the request of ${name}`}
        question={`${isolated(name)} sees and may call ${agentId}, and gets a notice.`}
        done="The request is granted."
        run={answer(true)}
      />
      <Ask
        action="Refuse"
        aria-label={`Refuse the request of ${name}`}
        danger
        question={`${isolated(name)} gets a notice, and may ask again in a week.`}
        done="The request is refused."
        run={answer(false)}
      />
    </Group>
  );
}
