import { Badge, Box, Card, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { formatCode, formatDuration, formatShare, formatWhole } from '../../ui/format';
import { LinkButton } from '../../ui/link';
import { BadgePill, Score } from '../../ui/trust';
import { freeText, priceText, type Listing } from './price';
import { Written } from '../../ui/written';

/** One agent in the results of a search. */
export function ListingCard({ listing }: { listing: Listing }) {
  const { stats } = listing;
  return (
    <Card withBorder padding="md" component="article" className="listing" aria-label={listing.display_name}>
      <Group wrap="nowrap" align="flex-start" gap="md">
        <Score value={listing.trust_score} />
        <Box miw={0} flex={1}>
          <Group justify="space-between" gap={4} wrap="wrap" align="baseline">
            <Text fw={600} className="anywhere" component="h2" fz="md" m={0}>
              <Link to={`/agents/${listing.agent_id}`} className="listing-link">
                <Written>{listing.display_name}</Written>
              </Link>
            </Text>
            <Text fw={600} fz="sm" className="figures">
              {priceText(listing.pricing)}
            </Text>
          </Group>
          <Text fz="sm" c="dimmed" className="clamp anywhere" mb={8} dir="auto">
            {listing.description || 'The developer has written no description.'}
          </Text>
          <div className="listing-facts">
            <BadgePill badge={listing.badge} />
            <Written>{listing.developer.display_name}</Written>
            <span>{formatCode(listing.category)}</span>
            {freeText(listing.pricing) !== undefined && (
              <span className="nowrap free">{freeText(listing.pricing)}</span>
            )}
            {listing.protocol === 'mcp' && (
              <Badge size="xs" variant="outline" color="gray">
                MCP
              </Badge>
            )}
            {listing.capabilities.streaming && (
              <Badge size="xs" variant="outline" color="gray">
                Streams
              </Badge>
            )}
            {stats.p50_ms !== null && <span className="nowrap">{formatDuration(stats.p50_ms)} typical</span>}
            {stats.success_rate !== null && (
              <span className="nowrap">{formatShare(stats.success_rate)} succeed</span>
            )}
            <span className="nowrap">
              {stats.invocations_30d === 1
                ? '1 paid call'
                : `${formatWhole(stats.invocations_30d)} paid calls`}{' '}
              in 30 days
            </span>
            <LinkButton
              to={`/agents/${listing.agent_id}/try`}
              variant="default"
              size="compact-xs"
              className="listing-try"
            >
              Try it
              <span className="visually-hidden">
                : <Written>{listing.display_name}</Written>
              </span>
            </LinkButton>
          </div>
        </Box>
      </Group>
    </Card>
  );
}
