import { Anchor, Card, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { AgentCode, type ListingDetail } from '../features/listings/agent-code';
import { AgentOverview } from '../features/listings/agent-overview';
import { useFreeCalls } from '../features/listings/free-calls';
import { freeText } from '../features/listings/free-text';
import { nextPriceText, priceText } from '../features/listings/price';
import { Star } from '../features/favourites/star';
import { Definitions } from '../features/trust/definitions';
import { TrustReport } from '../features/trust/trust-report';
import { DataTable } from '../ui/data-table';
import { formatCode } from '../ui/format';
import { AppLink, LinkButton } from '../ui/link';
import { AgentMark } from '../ui/agent-mark';
import { Page } from '../ui/page';
import { PageTabs } from '../ui/page-tabs';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';
import { BadgePill, Score } from '../ui/trust';
import { ApiError } from '../client/http';
import { Written } from '../ui/written';

/** One agent of the marketplace: open to everyone while PUBLIC_READS is on. */
export function AgentPage() {
  const agentId = useParam('agentId');
  const query = useQuery(get('/v1/listings/{agent_id}', { path: { agent_id: agentId } }));
  if (query.isError)
    return (
      <Page title="Agent" back={{ to: '/', label: 'Find agents' }}>
        {query.error instanceof ApiError && query.error.status === 404 ? (
          <Empty title="No agent to show" action={<LinkButton to="/">Find agents</LinkButton>}>
            There is no agent at this address, or it cannot be called at present, such as while it is
            suspended.
          </Empty>
        ) : (
          <QueryView query={query}>{() => null}</QueryView>
        )}
      </Page>
    );
  return <QueryView query={query}>{(listing) => <AgentView listing={listing} />}</QueryView>;
}

interface AgentViewProps {
  listing: ListingDetail;
  back?: { to: string; label: string };
}

export function AgentView({ listing, back = { to: '/', label: 'Find agents' } }: AgentViewProps) {
  const free = useFreeCalls()(listing);
  const nextPrice = nextPriceText(listing);
  return (
    <Page
      title={listing.display_name}
      mark={<AgentMark agentId={listing.agent_id} name={listing.display_name} size={36} />}
      aside={<BadgePill badge={listing.badge} />}
      back={back}
      subtitle={
        <>
          <Text dir="auto">{listing.description || 'The developer has written no description.'}</Text>
          <Group gap="xs" fz="sm" mt={4}>
            <span>
              by{' '}
              <AppLink to={`/developers/${listing.developer.developer_id}`}>
                <Written>{listing.developer.display_name}</Written>
              </AppLink>
            </span>
            ·<span>{formatCode(listing.category)}</span>·<span>version {listing.version}</span>·
            <span>{priceText(listing.pricing)}</span>
            {nextPrice && <span>{nextPrice}</span>}
            {free && <span className={free.left === 0 ? '' : 'free'}>{freeText(free)}</span>}
            {listing.homepage && (
              <Anchor href={listing.homepage} rel="noopener noreferrer nofollow" target="_blank" fz="sm">
                Homepage
              </Anchor>
            )}
          </Group>
        </>
      }
      actions={
        <Group wrap="nowrap">
          <Star agentId={listing.agent_id} />
          <Score value={listing.trust_score} size={72} />
          <LinkButton to={`/agents/${listing.agent_id}/try`} size="md">
            Try it
          </LinkButton>
        </Group>
      }
    >
      <PageTabs
        tabs={[
          { value: 'overview', label: 'Overview', content: <AgentOverview listing={listing} /> },
          { value: 'trust', label: 'Trust report', content: <AgentTrust listing={listing} /> },
          { value: 'code', label: 'Code', content: <AgentCode listing={listing} /> },
          { value: 'versions', label: 'Versions', content: <Versions listing={listing} /> },
        ]}
      />
    </Page>
  );
}

function AgentTrust({ listing: { agent_id: agentId } }: { listing: ListingDetail }) {
  const query = useQuery(get('/v1/agents/{agent_id}/trust-report', { path: { agent_id: agentId } }));
  if (query.error instanceof ApiError && query.error.status === 404)
    return <Empty title="No report yet">The first verification of this agent has not ended.</Empty>;
  return (
    <>
      <QueryView query={query}>{(report) => <TrustReport report={report} />}</QueryView>
      <Definitions agentId={agentId} />
    </>
  );
}

function Versions({ listing }: { listing: ListingDetail }) {
  return (
    <Card withBorder padding={0} className="table-card">
      <DataTable
        label="Versions"
        rows={listing.versions}
        keyOf={({ version }) => version}
        columns={[
          { title: 'Version', cell: ({ version }) => <b>{version}</b> },
          { title: 'State', cell: ({ status }) => <Status value={status} /> },
          { title: 'Live since', cell: ({ live_at: at }) => <Time at={at} /> },
          {
            title: 'What is new',
            cell: ({ changelog }) => (
              <Text fz="sm" className="stream" dir="auto" {...(changelog === undefined && { c: 'dimmed' })}>
                {changelog ?? 'The developer did not say.'}
              </Text>
            ),
          },
        ]}
      />
    </Card>
  );
}
