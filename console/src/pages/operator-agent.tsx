import { Card, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { send } from '../client/http';
import { get } from '../client/queries';
import { AuditLog } from '../features/operator/audit-log';
import { WorkflowLink } from '../features/operator/workflow-link';
import { FindingRow } from '../features/trust/trust-report';
import { Ask } from '../ui/ask';
import { Id } from '../ui/id';
import { LinkButton } from '../ui/link';
import { Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Empty } from '../ui/states';

/** An agent as operators see it: its findings, and what was done to it. */
export function OperatorAgentPage() {
  const id = useParam('agentId');
  const path = { agent_id: id };
  const findings = useQuery(get('/v1/operator/agents/{agent_id}/findings', { path, query: { limit: 50 } }));
  return (
    <Page
      title={id}
      back={{ to: '/operator', label: 'Decisions' }}
      subtitle={<Id value={id} short={false} />}
      actions={
        <>
          <LinkButton to={`/agents/${id}`} variant="default" size="xs">
            As buyers see it
          </LinkButton>
          <Ask
            action="Reinstate"
            question="Buyers find the agent again, and it takes calls."
            reason="Reason"
            done="The agent is active."
            run={(reason) =>
              send('post', '/v1/operator/agents/{agent_id}/reinstate', { path, body: { reason } })
            }
          />
          <Ask
            action="Suspend"
            danger
            question="The agent leaves the search, and new calls are refused. Calls in progress go on."
            reason="Reason"
            done="The agent is suspended."
            run={(reason) =>
              send('post', '/v1/operator/agents/{agent_id}/suspend', { path, body: { reason } })
            }
          />
        </>
      }
    >
      <Section
        title="Findings"
        actions={
          <Text fz="sm" component="div">
            <WorkflowLink workflow={{ id: `verification/${id}` }} />
          </Text>
        }
      >
        <QueryView query={findings}>
          {({ items }) => (
            <Card withBorder>
              <Stack>
                {items.length === 0 && <Empty title="No findings" />}
                {items.map((finding) => (
                  <FindingRow key={finding.finding_id} finding={finding} />
                ))}
              </Stack>
            </Card>
          )}
        </QueryView>
      </Section>
      <Section title="What operators did">
        <AuditLog subject={id} />
      </Section>
    </Page>
  );
}
