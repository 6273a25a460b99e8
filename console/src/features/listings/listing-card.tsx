import { Badge, Box, Card, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { formatCode, formatDuration, formatSpan } from '../../ui/format';
import { AgentMark } from '../../ui/agent-mark';
import { AppLink, LinkButton } from '../../ui/link';
import { BadgePill, Score } from '../../ui/trust';
import { CompareBox } from '../compare/choose';
import { FreeCalls } from './free-calls';
import type { Free } from './free-text';
import { nextPriceText, priceText, type Listing } from './price';
import { cardFacts } from './success';
import { Written } from '../../ui/written';
import { historyText } from './warranty';

/** One agent in the results of a search, with the free calls that the reader has. */
export function ListingCard({ listing, free }: { listing: Listing; free: Free | undefined }) {
  const { stats } = listing;
  const nextPrice = nextPriceText(listing);
  return (
    <Card withBorder padding="md" component="article" className="listing" aria-label={listing.display_name}>
      <Group wrap="nowrap" align="flex-start" gap="md">
        <Score value={listing.trust_score} />
        <Box miw={0} flex={1}>
          <Group justify="space-between" gap={4} wrap="wrap" align="baseline">
            <Text fw={600} className="anywhere listing-name" component="h2" fz="md" m={0}>
              <AgentMark agentId={listing.agent_id} name={listing.display_name} size={22} />
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
          <div className="listing-foot">
            <div className="listing-facts">
              <BadgePill badge={listing.badge} />
              <AppLink
                to={`/developers/${listing.developer.developer_id}`}
                className="listing-developer anywhere"
                c="inherit"
              >
                <Written>{listing.developer.display_name}</Written>
              </AppLink>
              <span>{formatCode(listing.category)}</span>
              {free && <FreeCalls free={free} />}
              {nextPrice && <span>{nextPrice}</span>}
              {listing.protocol !== 'http' && (
                <Badge size="xs" variant="outline" color="gray">
                  {listing.protocol.toUpperCase()}
                </Badge>
              )}
              {listing.warranty && (
                <Badge size="xs" variant="outline" color="gray" title={historyText(listing.warranty)}>
                  Warranted
                </Badge>
              )}
              {listing.capabilities.streaming && (
                <Badge size="xs" variant="outline" color="gray">
                  Streams
                </Badge>
              )}
              {listing.capabilities.jobs && (
                <span className="nowrap">
                  Takes jobs of up to {formatSpan(listing.capabilities.jobs.max_seconds)}
                </span>
              )}
              {stats.p50_ms !== null && (
                <span className="nowrap">{formatDuration(stats.p50_ms)} typical</span>
              )}
              {listing.match && listing.match.missing.length > 0 && (
                <span className="anywhere">
                  Without <Written>{listing.match.missing.join(', ')}</Written>
                </span>
              )}
              {cardFacts(stats).map((fact) => (
                <span key={fact} className="nowrap">
                  {fact}
                </span>
              ))}
            </div>
            <Group gap="sm" className="listing-try" wrap="nowrap">
              <CompareBox agentId={listing.agent_id} name={listing.display_name} />
              <LinkButton to={`/agents/${listing.agent_id}/try`} variant="default" size="compact-xs">
                Try it
                <span className="visually-hidden">
                  : <Written>{listing.display_name}</Written>
                </span>
              </LinkButton>
            </Group>
          </div>
        </Box>
      </Group>
    </Card>
  );
}
