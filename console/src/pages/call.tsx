import { Card, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { CallStatus } from '../features/calls/asked-calls';
import { Bodies, CallAgain, useBodies, type CallBodies } from '../features/calls/bodies';
import type { CallDetail } from '../features/calls/call-steps';
import { CallTimeline } from '../features/calls/call-timeline';
import { DisputeForm } from '../features/calls/dispute-form';
import { furtherRows } from '../features/calls/further-rows';
import { JobCard } from '../features/calls/job-card';
import { JobPieces } from '../features/calls/job-pieces';
import { AgentQuestion } from '../features/calls/question-card';
import { ReviewForm } from '../features/calls/review-form';
import { StopCall } from '../features/calls/stop-call';
import { Json } from '../ui/code-block';
import { formatCode, formatWhole } from '../ui/format';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Permitted, useMay } from '../ui/owner';
import { Facts, Page, Section } from '../ui/page';
import { PrintButton } from '../ui/print-button';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Written } from '../ui/written';

const DONE = ['succeeded', 'failed', 'disputed'];

/** One call: its timeline, its money, its answer and its evidence. It follows a running call. */
export function CallPage() {
  const invocationId = useParam('invocationId');
  const query = useQuery({
    ...get('/v1/invocations/{invocation_id}', { path: { invocation_id: invocationId } }),
    refetchInterval: ({ state }) => (state.data && !DONE.includes(state.data.status) ? 1_000 : false),
  });
  const isOver = query.data !== undefined && DONE.includes(query.data.status);
  const bodies = useBodies(invocationId, isOver);
  return (
    <Page
      title="Call"
      back={{ to: '/calls', label: 'Calls' }}
      aside={query.data && <StatusOf call={query.data} />}
      subtitle={<Id value={invocationId} short={false} />}
      actions={query.data && <CallActions call={query.data} bodies={bodies} />}
    >
      <QueryView query={query}>{(call) => <CallView call={call} bodies={bodies} />}</QueryView>
    </Page>
  );
}

function StatusOf({ call: { status, job } }: { call: CallDetail }) {
  return <CallStatus status={status} isAsked={!DONE.includes(status) && Boolean(job?.question)} />;
}

interface CallProps {
  call: CallDetail;
  bodies: CallBodies;
}

function CallActions({ call, bodies }: CallProps) {
  return (
    <>
      {DONE.includes(call.status) && <PrintButton label="Print the receipt" />}
      <Permitted needs="call">
        {!DONE.includes(call.status) && <StopCall call={call} />}
        <CallAgain agentId={call.agent_id} bodies={bodies} />
        {call.status === 'succeeded' && call.usage.credits_charged > 0 && <ReviewForm call={call} />}
        {call.dispute === null && mayDispute(call) && <DisputeForm call={call} bodies={bodies} />}
      </Permitted>
    </>
  );
}

/** A success can be disputed, and so can the milestones of a job that failed. */
function mayDispute({ status, usage }: CallDetail): boolean {
  return status === 'succeeded' || (status === 'failed' && usage.credits_charged > 0);
}

function CallView({ call, bodies }: CallProps) {
  const ledger = useQuery({
    ...get('/v1/billing/ledger', { query: { invocation_id: call.invocation_id } }),
    enabled: useMay('viewMoney'),
  });
  const lines = ledger.data?.items ?? [];
  return (
    <>
      <Permitted needs="call" quiet>
        {!DONE.includes(call.status) && <AgentQuestion call={call} />}
      </Permitted>
      {call.job && <JobCard call={{ ...call, job: call.job }} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" className="top">
        <Card withBorder padding="lg">
          <CallTimeline call={call} lines={lines} />
        </Card>
        <Stack gap="lg">
          <Card withBorder padding="lg">
            <Facts
              rows={[
                [
                  'Agent',
                  <AppLink key="a" to={`/agents/${call.agent_id}`}>
                    <Written>{call.agent_name}</Written>
                  </AppLink>,
                ],
                ['Charged', <Credits key="c" value={call.usage.credits_charged} />],
                call.refunded_credits > 0 && ['Refunded', <Credits key="r" value={call.refunded_credits} />],
                [
                  'Tokens',
                  `${formatWhole(call.usage.tokens_in)} in, ${formatWhole(call.usage.tokens_out)} out`,
                ],
                ...furtherRows(call),
                ['Trace', <Id key="t" value={call.trace_id} />],
                call.dispute !== null && [
                  'Dispute',
                  <AppLink key="d" to={`/disputes/${call.dispute.dispute_id}`}>
                    {formatCode(call.dispute.status)}
                  </AppLink>,
                ],
              ]}
            />
          </Card>
          {call.job && call.job.pieces > 0 && (
            <JobPieces callId={call.invocation_id} count={call.job.pieces} />
          )}
          <Permitted needs="call" quiet>
            <Bodies call={call} bodies={bodies} />
          </Permitted>
        </Stack>
      </SimpleGrid>
      {call.evidence && (
        <Section
          title="Evidence"
          note="Signed by the marketplace. The signature can be verified with the keys at /.well-known/jwks.json."
        >
          <Json value={call.evidence} label="evidence" />
        </Section>
      )}
    </>
  );
}
