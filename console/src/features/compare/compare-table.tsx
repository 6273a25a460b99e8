import { Button, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { AgentMark } from '../../ui/agent-mark';
import { creditsText, formatCode, formatDuration, formatWhole } from '../../ui/format';
import { AppLink, LinkButton } from '../../ui/link';
import { BadgePill, Score } from '../../ui/trust';
import { Written } from '../../ui/written';
import type { ListingDetail } from '../listings/agent-code';
import { dataRows, declared, jobsText, PROTOCOL_NAMES } from '../listings/declarations';
import { useFreeCalls } from '../listings/free-calls';
import { freeText } from '../listings/free-text';
import { ceilingOf, priceText } from '../listings/price';
import { successText } from '../listings/success';

interface Row {
  fact: string;
  of: (listing: ListingDetail) => ReactNode;
}

const contradictedIn = (listing: ListingDetail) => new Set(listing.contradicted_declarations);
const duration = (ms: number | null) => (ms === null ? 'Not known yet' : formatDuration(ms));
const dataRow = (fact: string): Row => ({
  fact,
  of: (listing) =>
    dataRows(listing, contradictedIn(listing)).find(([row]) => row === fact)?.[1] ?? 'Not declared',
});

const ROWS: readonly Row[] = [
  { fact: 'Price', of: ({ pricing }) => priceText(pricing) },
  {
    fact: 'One call, at most',
    of: ({ pricing }) => {
      const most = ceilingOf(pricing);
      return most === undefined ? 'No limit' : creditsText(most);
    },
  },
  { fact: 'Trust score', of: ({ trust_score: score }) => <Score value={score} /> },
  { fact: 'Badge', of: ({ badge }) => <BadgePill badge={badge} /> },
  { fact: 'Paid calls of others that succeed', of: ({ stats }) => successText(stats) },
  { fact: 'Paid calls of others in 30 days', of: ({ stats }) => formatWhole(stats.invocations_30d) },
  { fact: 'Half take at most', of: ({ stats }) => duration(stats.p50_ms) },
  { fact: '95% take at most', of: ({ stats }) => duration(stats.p95_ms) },
  { fact: 'Protocol', of: ({ protocol }) => PROTOCOL_NAMES[protocol] },
  {
    fact: 'Streams its answer',
    of: (listing) =>
      declared(listing.capabilities.streaming, contradictedIn(listing).has('capabilities.streaming')),
  },
  { fact: 'Takes jobs', of: ({ capabilities }) => jobsText(capabilities.jobs) },
  ...['Personal data', 'Kept for', 'Region', 'Subprocessors'].map(dataRow),
  { fact: 'Category', of: ({ category }) => formatCode(category) },
  {
    fact: 'Developer',
    of: ({ developer }) => (
      <AppLink to={`/developers/${developer.developer_id}`}>
        <Written>{developer.display_name}</Written>
      </AppLink>
    ),
  },
];

interface CompareTableProps {
  listings: readonly ListingDetail[];
  remove: (agentId: string) => void;
}

/** Agents side by side: a column for each, a row for each fact. */
export function CompareTable({ listings, remove }: CompareTableProps) {
  const free = useFreeCalls();
  const rows: readonly Row[] = [
    ...ROWS.slice(0, 2),
    {
      fact: 'Free calls',
      of: (listing) => {
        const calls = free(listing);
        return calls ? freeText(calls) : 'None';
      },
    },
    ...ROWS.slice(2),
  ];
  return (
    <Table.ScrollContainer minWidth={120 + 150 * listings.length} aria-label="Agents side by side">
      <Table className="compare-table" verticalSpacing="xs" horizontalSpacing="md" aria-label="Comparison">
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            {listings.map((listing) => (
              <Table.Th key={listing.agent_id} scope="col">
                <Head listing={listing} remove={remove} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ fact, of }) => (
            <Table.Tr key={fact}>
              <Table.Th scope="row">{fact}</Table.Th>
              {listings.map((listing) => (
                <Table.Td key={listing.agent_id}>{of(listing)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Head({ listing, remove }: { listing: ListingDetail; remove: (agentId: string) => void }) {
  const { agent_id: id, display_name: name } = listing;
  return (
    <Stack gap={6}>
      <Group gap={8} wrap="nowrap">
        <AgentMark agentId={id} name={name} />
        <AppLink to={`/agents/${id}`} fw={600} className="anywhere">
          <Written>{name}</Written>
        </AppLink>
      </Group>
      <Text fz="xs" c="dimmed" lineClamp={3} dir="auto" fw={400}>
        {listing.description}
      </Text>
      <Group gap={6}>
        <LinkButton to={`/agents/${id}/try`} variant="default" size="compact-xs">
          Try it
          <span className="visually-hidden">
            : <Written>{name}</Written>
          </span>
        </LinkButton>
        <Button variant="subtle" size="compact-xs" onClick={() => remove(id)}>
          Leave out
          <span className="visually-hidden">
            : <Written>{name}</Written>
          </span>
        </Button>
      </Group>
    </Stack>
  );
}
