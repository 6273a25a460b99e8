import { Card, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { DecisionCard } from '../features/operator/decision';
import { IdBox } from '../features/operator/id-box';
import { TimeTravel } from '../features/operator/time-travel';
import { useDecisions } from '../features/operator/use-decisions';
import { Page, Section } from '../ui/page';
import { Empty, Failure, Waiting } from '../ui/states';

/** What an operator decides, the nearest deadline first, and the way to any account, agent or call. */
export function OperatorPage() {
  const { decisions, hasMore, isPending, failed } = useDecisions();
  const [kind, setKind] = useState('All');
  const kinds = [...new Set(decisions.map((one) => one.kind))];
  const shown = decisions.filter((one) => kind === 'All' || one.kind === kind || !kinds.includes(kind));
  return (
    <Page title="Decisions" subtitle="Each decision needs a reason, which the audit log keeps.">
      <IdBox />
      <Section
        title="Waiting for a decision"
        actions={
          kinds.length > 1 && (
            <Select
              size="xs"
              w={160}
              allowDeselect={false}
              value={kinds.includes(kind) ? kind : 'All'}
              onChange={(value) => setKind(value ?? 'All')}
              data={['All', ...kinds]}
              aria-label="Kind of decision"
            />
          )
        }
      >
        {failed && <Failure error={failed.error} retry={() => void failed.refetch()} />}
        {isPending && !failed && <Waiting lines={2} height={96} />}
        {!isPending && !failed && decisions.length === 0 && (
          <Card withBorder padding={0}>
            <Empty title="Nothing to decide">
              Disputes, slashes, findings and waivers, quarantined payments, failed payouts and tax forms
              appear here.
            </Empty>
          </Card>
        )}
        <Stack gap="sm">
          {shown.map((decision) => (
            <DecisionCard key={decision.id} decision={decision} />
          ))}
        </Stack>
        {hasMore && (
          <Text fz="sm" c="dimmed">
            There are more than fifty of a kind. The others appear when these are decided.
          </Text>
        )}
      </Section>
      <TimeTravel />
    </Page>
  );
}
