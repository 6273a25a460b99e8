import { Card, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { AuditLog } from '../features/operator/audit-log';
import { ofSlash } from '../features/operator/decisions-of-cases';
import { WorkflowLink } from '../features/operator/workflow-link';
import { Ask } from '../ui/ask';
import { Json } from '../ui/code-block';
import { DataTable } from '../ui/data-table';
import type { Answer } from '../client/http';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Said } from '../ui/said';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Slash = Answer<'/v1/operator/slashes/{slash_id}', 'get'>;

const isOpen = ({ status }: Slash) => status === 'applied' || status === 'contested';

/** A slash as operators see it, in any state. */
export function OperatorSlashPage() {
  const id = useParam('slashId');
  const query = useQuery(get('/v1/operator/slashes/{slash_id}', { path: { slash_id: id } }));
  return (
    <Page
      title="Slash"
      back={{ to: '/operator/slashes', label: 'Slashes' }}
      subtitle={<Id value={id} short={false} />}
      aside={query.data && <Status value={query.data.status} />}
      actions={
        query.data &&
        isOpen(query.data) && (
          <Group gap={6}>
            {ofSlash(query.data).actions.map((each) => (
              <Ask key={each.action} {...each} reason="Reason" />
            ))}
          </Group>
        )
      }
    >
      <QueryView query={query}>{(slash) => <SlashFacts slash={slash} />}</QueryView>
      <Section title="What operators did">
        <AuditLog subject={id} />
      </Section>
    </Page>
  );
}

const decidedBy = ({ resolution, resolved_by: operator }: Slash) =>
  operator === null ? (
    resolution === 'developer_silent' ? (
      'No answer by the deadline'
    ) : (
      '–'
    )
  ) : (
    <AppLink to={`/operator/accounts/${operator}`}>An operator</AppLink>
  );

function SlashFacts({ slash: one }: { slash: Slash }) {
  return (
    <>
      <Card withBorder>
        <Facts
          rows={[
            ['Requested', <Credits key="r" value={one.requested_credits} />],
            [
              one.status === 'overturned' ? 'Given back to the bond' : 'Taken from the bond',
              <Credits key="c" value={one.credits} />,
            ],
            ['Goes to', one.refund === 'none' ? 'The platform, as a penalty' : 'The buyers of the calls'],
            [
              'Agent',
              <AppLink key="a" to={`/operator/agents/${one.agent_id}`}>
                {one.agent_id}
              </AppLink>,
            ],
            [
              'Developer',
              <AppLink key="d" to={`/operator/accounts/${one.developer_user_id}`}>
                Open the account
              </AppLink>,
            ],
            ['Applied', <Time key="t" at={one.applied_at} />],
            one.status === 'applied' && ['Answer due', <Time key="b" at={one.counter_by} />],
            one.resolved_at !== null && ['Decided', <Time key="e" at={one.resolved_at} />],
            one.resolved_at !== null && ['Decided by', decidedBy(one)],
            one.top_up_by !== null && ['Top-up of the bond due', <Time key="u" at={one.top_up_by} />],
            ['Workflow', <WorkflowLink key="w" workflow={{ id: `slash/${one.slash_id}` }} />],
          ]}
        />
      </Card>
      <Said title="The marketplace" text={one.explanation} />
      <Said title="The developer" text={one.counter_argument?.statement ?? null} />
      <Said title="The decision" text={one.decision_reason} />
      <Section title="Calls">
        <Card withBorder padding={0} className="table-card">
          <DataTable<Slash['calls'][number]>
            label="Calls"
            rows={one.calls}
            keyOf={(call) => call.invocation_id}
            columns={[
              {
                title: 'Call',
                cell: ({ invocation_id: id }) => <AppLink to={`/operator/calls/${id}`}>{id}</AppLink>,
              },
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
      <Section title="Evidence">
        <Json
          value={{ evidence: one.evidence, answer: one.counter_argument?.evidence ?? null }}
          label="evidence"
        />
      </Section>
    </>
  );
}
