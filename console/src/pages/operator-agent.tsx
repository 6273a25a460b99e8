import { Card, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { get, list } from '../client/queries';
import { AgentMoves } from '../features/operator/agent-moves';
import { CallsTable } from '../features/operator/calls-table';
import { AuditLog } from '../features/operator/audit-log';
import { Waive } from '../features/operator/waive';
import { WorkflowLink } from '../features/operator/workflow-link';
import { SlashesTable } from '../features/operator/slashes-table';
import { StartSlash } from '../features/operator/start-slash';
import { FindingRow, type Finding } from '../features/trust/trust-report';
import { ListView } from '../ui/data-table';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Empty, Waiting } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';
import { BadgePill } from '../ui/trust';

/** An agent as operators see it: its state, its findings, and what was done to it. */
export function OperatorAgentPage() {
  const id = useParam('agentId');
  const path = { agent_id: id };
  const query = useQuery(get('/v1/operator/agents/{agent_id}', { path }));
  const findings = useInfiniteQuery(
    list('/v1/operator/agents/{agent_id}/findings', { path, query: { limit: 20 } }),
  );
  return (
    <Page
      title={id}
      back={{ to: '/operator', label: 'Decisions' }}
      subtitle={<Id value={id} short={false} />}
      aside={query.data && <Status value={query.data.status} />}
      actions={
        query.data && (
          <>
            <AgentMoves agent={query.data} />
            <StartSlash agentId={id} developerUserId={query.data.developer_user_id} />
          </>
        )
      }
    >
      <QueryView query={query} waiting={<Waiting lines={1} height={96} />}>
        {(agent) => (
          <Card withBorder>
            <Facts
              rows={[
                [
                  'Developer',
                  <AppLink key="d" to={`/operator/accounts/${agent.developer_user_id}`}>
                    Open the account
                  </AppLink>,
                ],
                ['Search', agent.listed ? 'Buyers find it' : 'Buyers do not find it'],
                [
                  'Trust score',
                  agent.trust_score === null ? 'Not scored yet' : `${agent.trust_score} of 100`,
                ],
                ['Badge', <BadgePill key="b" badge={agent.badge} />],
                ['Published', <Time key="c" at={agent.created_at} />],
              ]}
            />
          </Card>
        )}
      </QueryView>
      <Section
        title="Findings"
        actions={
          <Text fz="sm" component="div">
            <WorkflowLink workflow={{ id: `verification/${id}` }} />
          </Text>
        }
      >
        <ListView<Finding> query={findings} empty={<Empty title="No findings" />}>
          {(items) => (
            <Stack p="md">
              {items.map((finding) => (
                <Group key={finding.finding_id} justify="space-between" align="flex-start">
                  <div className="grow">
                    <FindingRow finding={finding} />
                  </div>
                  {finding.status !== 'resolved' && <Waive agentId={id} findingId={finding.finding_id} />}
                </Group>
              ))}
            </Stack>
          )}
        </ListView>
      </Section>
      <Section title="Slashes">
        <SlashesTable query={{ agent_id: id }} />
      </Section>
      <Section title="Calls">
        <CallsTable query={{ agent_id: id }} />
      </Section>
      <Section title="What operators did">
        <AuditLog subject={id} />
      </Section>
    </Page>
  );
}
