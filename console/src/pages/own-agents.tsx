import { Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, SELDOM, type ItemOf } from '../client/queries';
import { ListTable } from '../ui/data-table';
import { AppLink, LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';
import { BadgePill, Score } from '../ui/trust';
import { Written } from '../ui/written';

type Own = ItemOf<'/v1/developer/agents'>;

export function OwnAgentsPage() {
  const query = useInfiniteQuery({
    ...list('/v1/developer/agents', { query: { limit: 25 } }),
    ...SELDOM,
  });
  const publish = <LinkButton to="/developer/publish">Publish an agent</LinkButton>;
  return (
    <Page
      title="Your agents"
      actions={
        <>
          <LinkButton to="/developer/register" variant="default">
            Register by its endpoint
          </LinkButton>
          {publish}
        </>
      }
    >
      <ListTable<Own>
        label="Your agents"
        query={query}
        keyOf={({ agent_id: id }) => id}
        empty={
          <Empty title="No agents yet" action={publish}>
            Publish one to sell its calls.
          </Empty>
        }
        columns={[
          { title: 'Agent', cell: (one) => <AgentName agent={one} /> },
          { title: 'Score', cell: (one) => <Score value={one.trust_score} size={44} /> },
          { title: 'Badge', cell: (one) => <BadgePill badge={one.badge} /> },
          { title: 'Listed', cell: (one) => <Status value={one.listed ? 'listed' : 'not listed'} /> },
          {
            title: 'Newest version',
            cell: (one) => (
              <Group gap={6} wrap="nowrap">
                {one.latest_version.version} <Status value={one.latest_version.status} />
              </Group>
            ),
          },
          { title: 'Updated', cell: (one) => <Time at={one.updated_at} ago /> },
        ]}
      />
    </Page>
  );
}

function AgentName({ agent }: { agent: Own }) {
  return (
    <div>
      <AppLink to={`/developer/agents/${agent.agent_id}`} fw={600}>
        <Written>{agent.display_name}</Written>
      </AppLink>
      <Text fz="xs" c="dimmed" className="anywhere">
        {agent.agent_id}
      </Text>
    </div>
  );
}
