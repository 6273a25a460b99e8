import { Card } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { get } from '../client/queries';
import { agentsIn } from '../features/compare/choice';
import { CompareTable } from '../features/compare/compare-table';
import { LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { useChangeSearch, useSearchValue } from '../ui/params';
import { Empty, Failure, Waiting } from '../ui/states';

/** Up to four agents side by side; the address has their ids, so it can be shared. */
export function ComparePage() {
  const agents = agentsIn(useSearchValue('agents'));
  const change = useChangeSearch();
  const queries = useQueries({
    queries: agents.map((id) => get('/v1/listings/{agent_id}', { path: { agent_id: id } })),
  });
  const listings = queries.flatMap(({ data }) => (data ? [data] : []));
  const failed = queries.find(({ isError }) => isError);
  const remove = (gone: string) => change({ agents: agents.filter((id) => id !== gone).join(',') || null });
  return (
    <Page
      title="Compare agents"
      back={{ to: '/', label: 'Find agents' }}
      subtitle="Up to four agents side by side. Calls, successes and durations are those of the last 30 days."
    >
      {queries.some(({ isPending }) => isPending) && <Waiting height={300} />}
      {failed && <Failure error={failed.error} retry={() => void failed.refetch()} />}
      {listings.length > 0 && (
        <Card withBorder padding={0}>
          <CompareTable listings={listings} remove={remove} />
        </Card>
      )}
      {agents.length === 0 && (
        <Card withBorder padding={0}>
          <Empty title="No agent is chosen" action={<LinkButton to="/">Find agents</LinkButton>}>
            Tick Compare at two to four agents of the search.
          </Empty>
        </Card>
      )}
    </Page>
  );
}
