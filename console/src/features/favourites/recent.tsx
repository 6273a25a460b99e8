import { Stack } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Empty } from '../../ui/states';
import { useFreeCalls } from '../listings/free-calls';
import { ListingCard } from '../listings/listing-card';

/** So many of the newest calls say which agents were called lately. */
const CALLS = 100;
const MOST_SHOWN = 6;

/** The agents that the account has called lately, by its own calls. */
export function RecentAgents() {
  const query = useQuery(get('/v1/invocations', { query: { limit: CALLS } }));
  return (
    <Section title="Called lately" note="By your hundred newest calls.">
      <QueryView query={query}>
        {({ items }) => (
          <Recent ids={[...new Set(items.map((call) => call.agent_id))].slice(0, MOST_SHOWN)} />
        )}
      </QueryView>
    </Section>
  );
}

function Recent({ ids }: { ids: readonly string[] }) {
  const free = useFreeCalls();
  const queries = useQueries({
    queries: ids.map((id) => get('/v1/listings/{agent_id}', { path: { agent_id: id } })),
  });
  // An agent that cannot be called any more is left out.
  const listings = queries.flatMap(({ data }) => (data ? [data] : []));
  if (queries.every(({ isPending }) => !isPending) && listings.length === 0)
    return <Empty title="No calls yet">The agents that you call stand here.</Empty>;
  return (
    <Stack gap="sm">
      {listings.map((listing) => (
        <ListingCard key={listing.agent_id} listing={listing} free={free(listing)} />
      ))}
    </Stack>
  );
}
