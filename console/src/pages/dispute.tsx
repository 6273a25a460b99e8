import { Card, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { send, type Answer } from '../client/http';
import { get } from '../client/queries';
import { Ask } from '../ui/ask';
import { Json } from '../ui/code-block';
import { reasonText } from '../features/calls/dispute-reasons';
import { OfferButtons, OfferShown, Refunded } from '../features/calls/dispute-offers';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Permitted } from '../ui/owner';
import { PrintButton } from '../ui/print-button';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Said } from '../ui/said';
import { Status } from '../ui/status';
import { Time } from '../ui/time';
import { Written } from '../ui/written';

type Dispute = Answer<'/v1/billing/disputes/{dispute_id}', 'get'>;

const UNDECIDED = ['open', 'contested'];
const ANSWERED_MS = 5_000;

export function DisputePage() {
  const id = useParam('disputeId');
  const query = useQuery({
    ...get('/v1/billing/disputes/{dispute_id}', { path: { dispute_id: id } }),
    // No event says that the other side has answered.
    refetchInterval: ({ state }) => (UNDECIDED.includes(state.data?.status ?? '') ? ANSWERED_MS : false),
  });
  return (
    <Page
      title="Dispute"
      back={{ to: '/disputes', label: 'Disputes' }}
      subtitle={<Id value={id} short={false} />}
      aside={query.data && <Status value={query.data.status} />}
      actions={
        query.data && (
          <>
            <PrintButton />
            <Permitted needs={query.data.role === 'developer' ? 'agents' : 'call'}>
              <AnswerButtons dispute={query.data} />
              <OfferButtons dispute={query.data} />
            </Permitted>
          </>
        )
      }
    >
      <QueryView query={query}>{(dispute) => <DisputeView dispute={dispute} />}</QueryView>
    </Page>
  );
}

function AnswerButtons({ dispute: { dispute_id: id, role, status } }: { dispute: Dispute }) {
  if (role !== 'developer' || status !== 'open') return null;
  const answer = (decision: 'accept' | 'contest') => (statement: string) =>
    send('post', '/v1/billing/disputes/{dispute_id}/respond', {
      path: { dispute_id: id },
      body: { decision, statement },
    });
  return (
    <Group gap="xs">
      <Ask
        action="Accept and refund"
        question="The buyer gets the full charge back."
        reason="Statement"
        done="The dispute is accepted."
        run={answer('accept')}
      />
      <Ask
        action="Contest"
        question="An operator decides between both sides."
        reason="Why the output is right"
        done="The dispute is contested."
        run={answer('contest')}
      />
    </Group>
  );
}

/** The call as the reader may see it: the developer without its buyer, its input and its output. */
function callOf({ role, invocation_id: id, agent_id: agentId }: Dispute) {
  if (role !== 'developer') return { to: `/calls/${id}` };
  return { to: `/developer/agents/${agentId}/calls`, search: { call: id } };
}

function DisputeView({ dispute }: { dispute: Dispute }) {
  const { attachments } = dispute;
  return (
    <>
      <Card withBorder>
        <Facts
          rows={[
            [
              'Call',
              <AppLink key="c" {...callOf(dispute)}>
                Show the call
              </AppLink>,
            ],
            [
              'Agent',
              <AppLink key="a" to={`/agents/${dispute.agent_id}`}>
                <Written>{dispute.agent_name}</Written>
              </AppLink>,
            ],
            ['Reason', reasonText(dispute.reason)],
            ['Opened', <Time key="o" at={dispute.opened_at} />],
            dispute.respond_by !== null && [
              'The developer answers by',
              <Time key="r" at={dispute.respond_by} />,
            ],
            dispute.resolved_at !== null && ['Decided', <Time key="d" at={dispute.resolved_at} />],
            ['Charged', <Credits key="p" value={dispute.call.credits_charged} />],
            ['Refunded', <Refunded key="f" dispute={dispute} />],
          ]}
        />
      </Card>
      <Said title={dispute.role === 'buyer' ? 'You say' : 'The buyer says'} text={dispute.description} />
      <Said
        title={dispute.role === 'developer' ? 'You say' : 'The developer says'}
        text={dispute.statement}
      />
      {dispute.offer && <OfferShown offer={dispute.offer} role={dispute.role} />}
      <Said title="The operator decided" text={dispute.decision_reason} />
      {'input' in attachments && (
        <Section title="Attached input">
          <Json value={attachments.input} label="attached input" />
        </Section>
      )}
      {'output' in attachments && (
        <Section title="Attached output">
          <Json value={attachments.output} label="attached output" />
        </Section>
      )}
    </>
  );
}
