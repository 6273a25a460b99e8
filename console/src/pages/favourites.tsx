import { Card, Group, Stack, Text } from '@mantine/core';
import { CompareBar } from '../features/compare/choose';
import { RecentAgents } from '../features/favourites/recent';
import { Star, useFavourites } from '../features/favourites/star';
import { useFreeCalls } from '../features/listings/free-calls';
import { ListingCard } from '../features/listings/listing-card';
import { LinkButton } from '../ui/link';
import { Page, Section } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Empty } from '../ui/states';

/** The agents that an account has marked, and those that it has called lately. */
export function FavouritesPage() {
  const query = useFavourites();
  const free = useFreeCalls();
  return (
    <Page
      title="Favourites"
      subtitle="Agents that you marked with the star on their page. Only you see them."
    >
      <Section title="Marked">
        <QueryView query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <Card withBorder padding={0}>
                <Empty title="No favourites yet" action={<LinkButton to="/">Find agents</LinkButton>}>
                  Press the star on the page of an agent.
                </Empty>
              </Card>
            ) : (
              <Stack gap="sm">
                {items.map(({ agent_id: id, listing }) => (
                  <Group key={id} wrap="nowrap" gap="xs" className="favourite">
                    {listing ? (
                      <ListingCard listing={listing} free={free(listing)} />
                    ) : (
                      <Card withBorder padding="md" className="grow">
                        <Text className="anywhere">{id}</Text>
                        <Text fz="sm" c="dimmed">
                          This agent cannot be called at present.
                        </Text>
                      </Card>
                    )}
                    <Star agentId={id} />
                  </Group>
                ))}
              </Stack>
            )
          }
        </QueryView>
      </Section>
      <RecentAgents />
      <CompareBar />
    </Page>
  );
}
