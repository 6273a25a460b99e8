import { Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { CallMovements } from '../features/operator/movements';
import { WorkflowLink, workflowOfCall } from '../features/operator/workflow-link';
import { formatCode, formatSurface } from '../ui/format';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

/** The money timeline of a call, without its input and output. */
export function OperatorCallPage() {
  const id = useParam('invocationId');
  const query = useQuery(get('/v1/operator/calls/{invocation_id}', { path: { invocation_id: id } }));
  return (
    <Page
      title="Call"
      back={{ to: '/operator', label: 'Decisions' }}
      subtitle={<Id value={id} short={false} />}
      aside={query.data && <Status value={query.data.status} />}
    >
      <QueryView query={query}>
        {(call) => (
          <>
            <Card withBorder>
              <Facts
                rows={[
                  [
                    'Buyer',
                    <AppLink key="b" to={`/operator/accounts/${call.buyer_user_id}`}>
                      Open the account
                    </AppLink>,
                  ],
                  [
                    'Developer',
                    <AppLink key="d" to={`/operator/accounts/${call.developer_user_id}`}>
                      Open the account
                    </AppLink>,
                  ],
                  [
                    'Agent',
                    <AppLink key="a" to={`/operator/agents/${call.agent_id}`}>
                      {call.agent_id}
                    </AppLink>,
                  ],
                  ['Version, by', `${call.version}, ${formatSurface(call.surface)}`],
                  ['Accepted', <Time key="i" at={call.invoked_at} />],
                  call.settled_at !== null && ['Settled', <Time key="s" at={call.settled_at} />],
                  call.error_code !== null && ['Error', formatCode(call.error_code)],
                  call.hold !== null && [
                    'Hold',
                    <span key="h">
                      <Credits value={call.hold.credits} />, {formatCode(call.hold.state).toLowerCase()}
                    </span>,
                  ],
                  call.hold !== null && [
                    'Sent to the agent',
                    call.hold.forwards === 1 ? 'once' : `${call.hold.forwards} times`,
                  ],
                  ['Trace', <Id key="t" value={call.trace_id} />],
                  [
                    'Workflow',
                    <WorkflowLink key="w" workflow={workflowOfCall(call.invocation_id, call.workflow_id)} />,
                  ],
                ]}
              />
            </Card>
            <Section
              title="Money"
              note="Both sides of every transaction, the oldest first. Their sum is zero."
            >
              <Card withBorder padding={0} className="table-card">
                <CallMovements movements={call.movements} />
              </Card>
            </Section>
          </>
        )}
      </QueryView>
    </Page>
  );
}
