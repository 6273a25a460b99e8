import { Card, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../client/http';
import { get } from '../client/queries';
import { AnswerForm } from '../features/bonds/answer-form';
import { Countdown } from '../features/bonds/countdown';
import { Json } from '../ui/code-block';
import { DataTable } from '../ui/data-table';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Permitted } from '../ui/owner';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Said } from '../ui/said';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Slash = Answer<'/v1/billing/developer/slashes/{slash_id}', 'get'>;

const DECIDED_BY: Record<NonNullable<Slash['resolution']>, string> = {
  developer_silent: 'No answer by the deadline',
  operator: 'An operator',
};

const isOpen = ({ status }: Slash) => status === 'applied' || status === 'contested';

/** What happens to the charges of the calls. */
function refundText({ status, refund }: Slash): string {
  if (status === 'overturned') return 'Nothing is refunded: the slash was overturned.';
  if (refund === 'none') return 'Nothing is refunded: the amount is a penalty.';
  return status === 'final'
    ? 'Their buyers were refunded.'
    : 'Their buyers are refunded if the slash becomes final.';
}

/** One slash of the developer's bond: why, with what evidence, and the form of the answer while there is time. */
export function SlashPage() {
  const id = useParam('slashId');
  const query = useQuery(get('/v1/billing/developer/slashes/{slash_id}', { path: { slash_id: id } }));
  return (
    <Page
      title="Slash"
      back={{ to: '/developer/bond', label: 'Bond' }}
      subtitle={<Id value={id} short={false} />}
      aside={query.data && <Status value={query.data.status} />}
    >
      <QueryView query={query}>{(slash) => <SlashView slash={slash} />}</QueryView>
    </Page>
  );
}

function SlashView({ slash: one }: { slash: Slash }) {
  const isLess = one.requested_credits !== one.credits;
  return (
    <>
      <Card withBorder>
        <Facts
          rows={[
            [
              one.status === 'overturned' ? 'Given back to the bond' : 'Taken from the bond',
              <Credits key="c" value={one.credits} />,
            ],
            isLess && ['Requested by the operator', <Credits key="r" value={one.requested_credits} />],
            one.status !== 'overturned' && [
              one.status === 'final' ? 'Went to' : 'Goes to, if it becomes final',
              one.refund === 'none' ? 'The platform, as a penalty' : 'The buyers of the calls',
            ],
            [
              'Agent',
              <AppLink key="a" to={`/developer/agents/${one.agent_id}`}>
                {one.agent_id}
              </AppLink>,
            ],
            ['Applied', <Time key="t" at={one.applied_at} />],
            one.status === 'applied' && ['Time to answer', <Countdown key="l" until={one.counter_by} />],
            one.status === 'applied' && ['Answer by', <Time key="b" at={one.counter_by} />],
            one.resolved_at !== null && ['Decided', <Time key="d" at={one.resolved_at} />],
            one.resolution !== null && ['Decided by', DECIDED_BY[one.resolution]],
            one.top_up_by !== null && ['Top up the bond by', <Time key="u" at={one.top_up_by} />],
          ]}
        />
        {isLess && (
          <Text fz="sm" c="dimmed" mt="sm">
            {one.refund === 'none'
              ? 'Less was taken than requested: a slash takes at most what is in the bond.'
              : 'Less was taken than requested: a slash takes at most what is in the bond, and what the buyers paid for the calls and did not get back.'}
          </Text>
        )}
      </Card>
      <Said title="Why" text={one.explanation} />
      {one.status === 'applied' && (
        <Permitted needs="agents">
          <AnswerForm slashId={one.slash_id} />
        </Permitted>
      )}
      {one.counter_argument && <Said title="Your answer" text={one.counter_argument.statement} />}
      <Said title="The operator decided" text={one.decision_reason} />
      {one.evidence !== null && one.evidence !== undefined && (
        <Section title="Evidence">
          <Json value={one.evidence} label="evidence" />
        </Section>
      )}
      {one.calls.length > 0 && (
        <Section title="Calls" note={refundText(one)}>
          <Card withBorder padding={0} className="table-card">
            <DataTable<Slash['calls'][number]>
              label="Calls"
              rows={one.calls}
              keyOf={(call) => call.invocation_id}
              columns={[
                { title: 'Call', cell: (call) => <Id value={call.invocation_id} /> },
                {
                  title: 'Refunded',
                  right: true,
                  cell: ({ refunded_credits: credits }) =>
                    credits === null && isOpen(one) && one.refund !== 'none' ? (
                      'Not decided'
                    ) : (
                      <Credits value={credits ?? 0} />
                    ),
                },
              ]}
            />
          </Card>
        </Section>
      )}
    </>
  );
}
