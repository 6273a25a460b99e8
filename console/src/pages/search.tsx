import { Button, Center, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { list } from '../client/queries';
import { chipsOf } from '../features/listings/chips';
import { CompareBar } from '../features/compare/choose';
import { ListingFilters, type Filters } from '../features/listings/filters';
import { MoreFilters } from '../features/listings/more-filters';
import { useFreeCalls } from '../features/listings/free-calls';
import { ListingCard } from '../features/listings/listing-card';
import { ClearFilters, FilterChips } from '../ui/filter-chips';
import { formatWhole } from '../ui/format';
import { Page } from '../ui/page';
import { Empty, Failure, Waiting } from '../ui/states';

/** The marketplace: open to everyone while PUBLIC_READS is on. */
export function SearchPage() {
  const filters: Filters = useSearch({ from: '/' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(list('/v1/listings', { query: { ...filters, limit: 20 } as never }));
  const pages = query.data?.pages ?? [];
  const listings = pages.flatMap(({ items }) => items);
  const [first] = pages;
  const freeLeft = useFreeCalls();
  const chips = chipsOf(filters);
  const change = (next: Filters, isTyping: boolean) =>
    void navigate({ to: '/', search: next, replace: isTyping, resetScroll: false });
  return (
    <Page
      title="Find an agent"
      subtitle="Every agent was tested before it was listed. You pay for calls that succeed."
    >
      <ListingFilters value={filters} onChange={change} />
      <MoreFilters value={filters} onChange={(next) => change(next, false)} />
      <Text fz="sm" c="dimmed" role="status" mt={-8} mih={22}>
        {first?.near && `No agent has exactly these words. `}
        {first?.total !== undefined && countText(first.total, first.near)}
      </Text>
      <FilterChips chips={chips} />
      {query.isPending && <Waiting height={104} />}
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.isSuccess && listings.length === 0 && (
        <Empty
          title="No agent matches"
          action={chips.length > 0 && <ClearFilters fields={chips.map(({ field }) => field)} />}
        >
          {chips.length > 0 ? 'Use fewer or other words, or remove a filter.' : 'No agent is listed yet.'}
        </Empty>
      )}
      {first?.nearest && first.nearest.length > 0 && (
        <Stack gap="sm">
          <Text fw={600}>The nearest agents</Text>
          {first.nearest.map((listing) => (
            <ListingCard key={listing.agent_id} listing={listing} free={freeLeft(listing)} />
          ))}
        </Stack>
      )}
      <Stack gap="sm" mt={-12}>
        {listings.map((listing) => (
          <ListingCard key={listing.agent_id} listing={listing} free={freeLeft(listing)} />
        ))}
      </Stack>
      {query.hasNextPage && (
        <Center>
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        </Center>
      )}
      <CompareBar />
    </Page>
  );
}

/** "12 agents", or how many have similar words. */
function countText(total: number, isNear = false): string {
  const agents = `${formatWhole(total)} ${total === 1 ? 'agent' : 'agents'}`;
  return isNear ? `${agents} with similar words:` : agents;
}
