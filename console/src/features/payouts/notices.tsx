import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { AppLink } from '../../ui/link';
import { Section } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';

type Notice = ItemOf<'/v1/billing/developer/notices'>;

/** The notices about the developer's bond, slashes and findings, newest first. */
export function Notices() {
  const query = useInfiniteQuery(list('/v1/billing/developer/notices', { query: { limit: 10 } }));
  return (
    <Section title="Notices">
      <ListTable<Notice>
        label="Notices"
        query={query}
        keyOf={({ notice_id: id }) => id}
        empty={<Empty title="No notices">Slashes, missing bond and decided contests appear here.</Empty>}
        columns={[
          { title: 'Time', cell: (one) => <Time at={one.created_at} /> },
          {
            title: 'Notice',
            cell: (one) => (
              <Text fz="sm" className="anywhere" dir="auto">
                {one.message}
              </Text>
            ),
          },
          { title: 'About', cell: (one) => <Subject notice={one} /> },
        ]}
      />
    </Section>
  );
}

function Subject({ notice: { slash_id: slash, agent_id: agent } }: { notice: Notice }) {
  if (slash !== null) return <AppLink to={`/developer/slashes/${slash}`}>The slash</AppLink>;
  return agent === null ? <>–</> : <AppLink to={`/developer/agents/${agent}`}>{agent}</AppLink>;
}
