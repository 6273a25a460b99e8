import { Group, Stack } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Answer } from '../client/http';
import { get, list, type ItemOf } from '../client/queries';
import { CompareBar } from '../features/compare/choose';
import { useFreeCalls } from '../features/listings/free-calls';
import { ListingCard } from '../features/listings/listing-card';
import { ListView } from '../ui/data-table';
import { formatShare, formatWhole } from '../ui/format';
import { Figure, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Empty } from '../ui/states';
import { Day } from '../ui/time';

type Developer = Answer<'/v1/developers/{developer_id}', 'get'>;

/** A developer as buyers see them: since when, how disputes are answered, and the agents. */
export function PublicDeveloperPage() {
  const id = useParam('developerId');
  const query = useQuery(get('/v1/developers/{developer_id}', { path: { developer_id: id } }));
  return (
    <Page
      title={query.data?.display_name ?? 'Developer'}
      tab={query.data?.display_name}
      back={{ to: '/', label: 'Find agents' }}
      subtitle={id}
    >
      <QueryView query={query}>
        {(developer) => (
          <>
            <Facts developer={developer} />
            <Agents id={id} />
            <CompareBar />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Facts({ developer: { since, listed_agents: agents, disputes } }: { developer: Developer }) {
  const { answered, unanswered } = disputes;
  const all = answered + unanswered;
  return (
    <Group align="stretch">
      <Figure name="Sells since">
        <Day date={since.slice(0, 10)} />
      </Figure>
      <Figure name="Agents" note="that the search lists">
        {formatWhole(agents)}
      </Figure>
      <Figure
        name="Disputes answered"
        note={
          all === 0 ? 'of the last 365 days' : `${formatWhole(answered)} of ${formatWhole(all)} in 365 days`
        }
      >
        {all === 0 ? 'No disputes' : formatShare(answered / all)}
      </Figure>
    </Group>
  );
}

function Agents({ id }: { id: string }) {
  const query = useInfiniteQuery(list('/v1/listings', { query: { developer_id: id, limit: 20 } }));
  const freeLeft = useFreeCalls();
  return (
    <Section title="Agents">
      <ListView<ItemOf<'/v1/listings'>>
        query={query}
        empty={<Empty title="No agent is listed">The search lists none of the agents at present.</Empty>}
      >
        {(listings) => (
          <Stack gap="sm" p="sm">
            {listings.map((listing) => (
              <ListingCard key={listing.agent_id} listing={listing} free={freeLeft(listing)} />
            ))}
          </Stack>
        )}
      </ListView>
    </Section>
  );
}
