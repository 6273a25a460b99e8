import { Group, Stack } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { send } from '../client/http';
import { get, list, type ItemOf } from '../client/queries';
import { Figures, Visibility } from '../features/catalogue/standing';
import { Findings } from '../features/catalogue/findings';
import { Ask } from '../ui/ask';
import { ListTable } from '../ui/data-table';
import { Id } from '../ui/id';
import { LinkButton } from '../ui/link';
import { Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';
import { BadgePill } from '../ui/trust';

/** One agent of the developer: why it is not listed, its figures, findings and versions. */
export function OwnAgentPage() {
  const id = useParam('agentId');
  const path = { agent_id: id };
  const query = useQuery({ ...get('/v1/developer/agents/{agent_id}', { path }), refetchInterval: 5_000 });
  const agent = query.data;
  return (
    <Page
      title={agent?.display_name ?? 'Agent'}
      back={{ to: '/developer/agents', label: 'Your agents' }}
      aside={
        agent && (
          <Group gap="xs">
            <Status value={agent.status} />
            <BadgePill badge={agent.badge} />
          </Group>
        )
      }
      subtitle={<Id value={id} short={false} />}
      actions={
        <>
          <LinkButton to={`/agents/${id}`} variant="default" size="xs">
            As buyers see it
          </LinkButton>
          <Ask
            action="Verify again"
            question="A new run verifies the version that serves."
            done="The verification has begun."
            run={() => send('post', '/v1/developer/agents/{agent_id}/reverify', { path })}
          />
          <Ask
            action="Retire"
            danger
            question="The agent takes no more calls and leaves the search. This cannot be undone."
            done="The agent is retired."
            run={() => send('post', '/v1/developer/agents/{agent_id}/retire', { path })}
          />
        </>
      }
    >
      <QueryView query={query}>
        {() => (
          <Stack gap="lg">
            <Visibility id={id} />
            <Figures id={id} />
            <Findings id={id} />
            <Versions id={id} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}

function Versions({ id }: { id: string }) {
  const query = useInfiniteQuery({
    ...list('/v1/developer/agents/{agent_id}/versions', { path: { agent_id: id }, query: { limit: 20 } }),
    refetchInterval: 5_000,
  });
  return (
    <Section title="Versions">
      <ListTable<ItemOf<'/v1/developer/agents/{agent_id}/versions'>>
        label="Versions"
        query={query}
        keyOf={({ version }) => version}
        empty={<Empty title="No versions" />}
        columns={[
          { title: 'Version', cell: (one) => <b>{one.version}</b> },
          { title: 'State', cell: (one) => <Status value={one.status} /> },
          { title: 'Submitted', cell: (one) => (one.submitted_at ? <Time at={one.submitted_at} /> : '–') },
          { title: 'Live', cell: (one) => (one.live_at ? <Time at={one.live_at} /> : '–') },
          { title: 'Rejected because', cell: (one) => one.reject_reason ?? '–' },
        ]}
      />
    </Section>
  );
}
