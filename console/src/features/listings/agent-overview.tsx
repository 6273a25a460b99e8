import { Card, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Json } from '../../ui/code-block';
import { creditsText, formatDuration, formatSpan, formatUsd, formatWhole } from '../../ui/format';
import { Facts, Section } from '../../ui/page';
import { Time } from '../../ui/time';
import type { ListingDetail } from './agent-code';
import { DataHandling, declared, jobsText, PROTOCOL_NAMES } from './declarations';
import { exampleOf, examplesOf } from './examples';
import { PublicFigures } from './public-figures';
import { Reviews } from './reviews';
import { FreeCalls, useFreeCalls } from './free-calls';
import { nextPriceText, priceText, sizeText } from './price';
import { successText } from './success';
import { warrantyText } from './warranty';

/** What an agent does, what it costs, and what happens to the data. */
export function AgentOverview({ listing }: { listing: ListingDetail }) {
  const { stats, pricing } = listing;
  const nextPrice = nextPriceText(listing);
  const contradicted = new Set(listing.contradicted_declarations);
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Card withBorder component="section" aria-label="Price">
          <Text fw={600} mb="xs">
            Price
          </Text>
          <Text fz="lg" fw={650}>
            {priceText(pricing)}
          </Text>
          {nextPrice && (
            <Text fw={600} fz="sm">
              {nextPrice}
            </Text>
          )}
          <PriceExamples listing={listing} />
        </Card>
        <Card withBorder component="section" aria-label="Data handling">
          <Text fw={600} mb="xs">
            Data handling
          </Text>
          <DataHandling listing={listing} contradicted={contradicted} />
        </Card>
      </SimpleGrid>
      <Facts
        rows={[
          ['Typical duration', stats.p50_ms === null ? durationless(stats) : formatDuration(stats.p50_ms)],
          ...(stats.p95_ms === null
            ? []
            : [['95% of calls take at most', formatDuration(stats.p95_ms)] as const]),
          ['Paid calls of others that succeed', successText(stats)],
          ['Paid calls of others in 30 days', formatWhole(stats.invocations_30d)],
          ['Unrelated buyers in 30 days', formatWhole(stats.buyers_30d)],
          ['Examined by verification', listing.examined ?? 'Not stated'],
          ['Warranty', warrantyText(listing)],
          ['Protocol', PROTOCOL_NAMES[listing.protocol]],
          [
            'Streams its answer',
            declared(listing.capabilities.streaming, contradicted.has('capabilities.streaming')),
          ],
          [
            'Idempotent',
            declared(listing.capabilities.idempotent, contradicted.has('capabilities.idempotent')),
          ],
          ['Takes jobs', jobsText(listing.capabilities.jobs)],
          ...usualJob(stats.jobs),
          ['Callable by other agents', listing.capabilities.a2a_invocable ? 'Yes' : 'No'],
          ['Takes tests of its answers', listing.capabilities.accepts_tests ? 'Yes' : 'No'],
          ['Updated', <Time key="at" at={listing.updated_at} />],
        ]}
      />
      <PublicFigures agentId={listing.agent_id} />
      <Reviews agentId={listing.agent_id} />
      <Section
        title="Example input"
        note={examplesOf(listing).length === 0 && 'Made from the input schema: the developer gave none.'}
      >
        <Json value={exampleOf(listing)} label="example input" />
      </Section>
      {listing.input_schema && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Section title="Input schema">
            <Json value={listing.input_schema} label="input schema" />
          </Section>
          <Section title="Output schema">
            <Json value={listing.output_schema} label="output schema" />
          </Section>
        </SimpleGrid>
      )}
    </Stack>
  );
}

/** A row that says how long jobs take, once some have ended. */
function usualJob({ p50_ms: ms }: ListingDetail['stats']['jobs']): [string, string][] {
  return ms === null ? [] : [['Typical duration of a job', formatSpan(Math.max(1, Math.round(ms / 1_000)))]];
}

/** Why there is no typical duration, which only successes have. */
const durationless = ({ invocations_30d: calls, few_calls: few, jobs }: ListingDetail['stats']): string =>
  calls === 0
    ? 'No paid calls yet'
    : few
      ? 'Few calls: fewer than ten buyers'
      : jobs.count > 0
        ? 'It takes jobs'
        : 'No call has succeeded yet';

function PriceExamples({ listing }: { listing: ListingDetail }) {
  const { pricing, price_examples: examples } = listing;
  const free = useFreeCalls()(listing);
  const ceiling = examples.some(({ capped }) => capped) ? undefined : pricing.max_credits_per_call;
  return (
    <Stack gap={2} mt="xs" fz="sm" c="dimmed">
      {examples.map((example) => (
        <Group key={sizeText(example)} justify="space-between">
          <span>{sizeText(example)}</span>
          <span className="figures">
            {creditsText(example.credits)} · {formatUsd(example.usd)}
          </span>
        </Group>
      ))}
      {ceiling !== undefined && (
        <Group justify="space-between">
          <span>One call, at most</span>
          <span className="figures">
            {creditsText(ceiling)} · {formatUsd(listing.max_cost_usd)}
          </span>
        </Group>
      )}
      {free && <FreeCalls free={free} />}
      <span>A call that fails costs nothing.</span>
    </Stack>
  );
}
