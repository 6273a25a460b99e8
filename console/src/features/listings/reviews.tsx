import { Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get, type ItemOf } from '../../client/queries';
import { formatWhole } from '../../ui/format';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Empty, Waiting } from '../../ui/states';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import { starsText } from './stars';

type Review = ItemOf<'/v1/agents/{agent_id}/reviews'>;

/** What buyers say about paid calls of an agent: the average, its distribution and the newest reviews. */
export function Reviews({ agentId }: { agentId: string }) {
  const path = { agent_id: agentId };
  const summary = useQuery(get('/v1/agents/{agent_id}/review-summary', { path }));
  const newest = useQuery(get('/v1/agents/{agent_id}/reviews', { path, query: { limit: 10 } }));
  return (
    <Section
      title="Reviews"
      note="By buyers who paid for the call and are not related to the developer. The newest of each buyer counts."
    >
      <Card withBorder>
        <QueryView query={summary} waiting={<Waiting lines={1} />}>
          {({ average, buyers, distribution }) =>
            average === null ? (
              <Empty title="No reviews yet">A buyer can review a paid call within 30 days.</Empty>
            ) : (
              <Stack gap="xs">
                <Text fw={600}>
                  {average.toFixed(2)} of 5, by {formatWhole(buyers)} {buyers === 1 ? 'buyer' : 'buyers'}
                </Text>
                <Text fz="sm" c="dimmed">
                  {distribution
                    .map((count, at) => `${starsText(at + 1)}: ${formatWhole(count)}`)
                    .toReversed()
                    .join(', ')}
                </Text>
                <QueryView query={newest} waiting={<Waiting lines={2} />}>
                  {({ items }) => items.map((review) => <OneReview key={review.review_id} review={review} />)}
                </QueryView>
              </Stack>
            )
          }
        </QueryView>
      </Card>
    </Section>
  );
}

function OneReview({ review }: { review: Review }) {
  return (
    <Stack gap={2} component="article">
      <Group gap="xs">
        <Text fw={600} fz="sm">
          {starsText(review.rating)}
        </Text>
        <Text fz="sm" c="dimmed" component="span">
          <Time at={review.created_at} />
        </Text>
      </Group>
      {review.text !== null && <Written>{review.text}</Written>}
      {review.answer !== null && (
        <Text fz="sm" c="dimmed" component="div">
          Answer of the developer: <Written>{review.answer}</Written>
        </Text>
      )}
    </Stack>
  );
}
