import { Button, Card, Group, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../client/http';
import { get } from '../client/queries';
import { Countdown } from '../features/bonds/countdown';
import { Json } from '../ui/code-block';
import { DataTable } from '../ui/data-table';
import { formatCode } from '../ui/format';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Said } from '../ui/said';
import { Failure, problemOf } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Slash = Answer<'/v1/billing/developer/slashes/{slash_id}', 'get'>;

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
  return (
    <>
      <Card withBorder>
        <Facts
          rows={[
            ['Taken from the bond', <Credits key="c" value={one.credits} />],
            one.requested_credits !== one.credits && [
              'Requested by the operator',
              <Credits key="r" value={one.requested_credits} />,
            ],
            ['Goes to', one.refund === 'none' ? 'The platform, as a penalty' : 'The buyers of the calls'],
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
            one.resolution !== null && ['Decided by', formatCode(one.resolution)],
            one.top_up_by !== null && ['Top up the bond by', <Time key="u" at={one.top_up_by} />],
          ]}
        />
      </Card>
      <Said title="Why" text={one.explanation} />
      {one.status === 'applied' && <AnswerForm slashId={one.slash_id} />}
      {one.counter_argument && <Said title="Your answer" text={one.counter_argument.statement} />}
      <Said title="The operator decided" text={one.decision_reason} />
      {one.evidence !== null && one.evidence !== undefined && (
        <Section title="Evidence">
          <Json value={one.evidence} label="evidence" />
        </Section>
      )}
      {one.calls.length > 0 && (
        <Section
          title="Calls"
          note={
            one.refund === 'none'
              ? 'Nothing is refunded: the amount is a penalty.'
              : 'Their buyers are refunded when the slash is final.'
          }
        >
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
                    credits === null ? 'Not decided' : <Credits value={credits} />,
                },
              ]}
            />
          </Card>
        </Section>
      )}
    </>
  );
}

function AnswerForm({ slashId }: { slashId: string }) {
  const queries = useQueryClient();
  const [statement, setStatement] = useState('');
  const answer = useMutation({
    mutationFn: () =>
      send('post', '/v1/billing/developer/slashes/{slash_id}/counter-argument', {
        path: { slash_id: slashId },
        body: { statement },
      }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Section title="Answer" note="An operator decides between the slash and your answer.">
      <Card withBorder>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            answer.mutate();
          }}
        >
          <Textarea
            label="Your counter-argument"
            value={statement}
            onChange={(event) => setStatement(event.currentTarget.value)}
            error={problemOf(answer.error, 'statement')}
            required
            autosize
            minRows={4}
            mb="sm"
          />
          {answer.isError && <Failure error={answer.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={answer.isPending}>
              Send the answer
            </Button>
          </Group>
        </form>
      </Card>
    </Section>
  );
}
