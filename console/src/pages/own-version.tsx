import { Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Answer } from '../client/http';
import { get } from '../client/queries';
import { priceText } from '../features/listings/price';
import { DraftActions } from '../features/own-agents/draft-actions';
import { Json } from '../ui/code-block';
import { Id } from '../ui/id';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Version = Answer<'/v1/developer/agents/{agent_id}/versions/{version}', 'get'>;

/** One version of an own agent: its state, and the manifest or registration that it was published by. */
export function OwnVersionPage() {
  const agentId = useParam('agentId');
  const version = useParam('version');
  const navigate = useNavigate();
  const agentPage = `/developer/agents/${agentId}`;
  const query = useQuery(
    get('/v1/developer/agents/{agent_id}/versions/{version}', { path: { agent_id: agentId, version } }),
  );
  return (
    <Page
      title={`Version ${version}`}
      back={{ to: agentPage, label: 'Agent' }}
      aside={query.data && <Status value={query.data.status} />}
      subtitle={<Id value={agentId} short={false} />}
      actions={
        query.data?.status === 'draft' && (
          <DraftActions agentId={agentId} version={version} onDeleted={() => navigate({ to: agentPage })} />
        )
      }
    >
      <QueryView query={query}>{(one) => <VersionView version={one} />}</QueryView>
    </Page>
  );
}

function VersionView({ version: one }: { version: Version }) {
  return (
    <>
      <Card withBorder>
        <Facts
          rows={[
            ['Endpoint', one.endpoint_url],
            ['Created', <Time key="c" at={one.created_at} />],
            one.submitted_at !== null && ['Submitted', <Time key="s" at={one.submitted_at} />],
            ['Price', priceText(one.pricing)],
            one.former_pricing !== null &&
              one.price_effective_at !== null && [
                'Until its price counts',
                <span key="p">
                  {priceText(one.former_pricing)}, until <Time at={one.price_effective_at} />
                </span>,
              ],
            one.live_at !== null && ['Live', <Time key="l" at={one.live_at} />],
            one.reject_reason !== null && ['Rejected because', one.reject_reason],
            ['SHA-256 of the document', <Id key="h" value={one.manifest_sha256} />],
          ]}
        />
      </Card>
      {one.manifest === null ? (
        <Section title="Registration">
          <Json value={one.registration} label="registration" />
        </Section>
      ) : (
        <Section title="Manifest" note="As it was published, with its defaults.">
          <Json value={one.manifest} label="manifest" />
        </Section>
      )}
    </>
  );
}
