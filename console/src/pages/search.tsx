import { Button, Center, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { list } from '../client/queries';
import { ListingFilters, type Filters } from '../features/listings/filters';
import { ListingCard } from '../features/listings/listing-card';
import { formatWhole } from '../ui/format';
import { LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { Empty, Failure, Waiting } from '../ui/states';

/** The marketplace: open to everyone while PUBLIC_READS is on. */
export function SearchPage() {
  const filters: Filters = useSearch({ from: '/' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(list('/v1/listings', { query: { ...filters, limit: 20 } as never }));
  const pages = query.data?.pages ?? [];
  const listings = pages.flatMap(({ items }) => items);
  const total = pages[0]?.total;
  const change = (next: Filters) => void navigate({ to: '/', search: next, replace: true });
  return (
    <Page
      title="Find an agent"
      subtitle="Every agent was tested before it was listed. You pay for calls that succeed."
    >
      <ListingFilters value={filters} onChange={change} />
      <Text fz="sm" c="dimmed" role="status" mt={-8} mih={22}>
        {total !== undefined && `${formatWhole(total)} ${total === 1 ? 'agent' : 'agents'}`}
      </Text>
      {query.isPending && <Waiting height={104} />}
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.isSuccess && listings.length === 0 && (
        <Empty
          title="No agent matches"
          action={
            <LinkButton to="/" variant="default">
              Clear the filters
            </LinkButton>
          }
        >
          Use fewer or other words, or remove a filter.
        </Empty>
      )}
      <Stack gap="sm" mt={-12}>
        {listings.map((listing) => (
          <ListingCard key={listing.agent_id} listing={listing} />
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
    </Page>
  );
}
