import { Button, Card, Center, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { DecisionCard } from '../features/operator/decision';
import { DecisionGroup } from '../features/operator/decision-group';
import { groupAlike } from '../features/operator/group-alike';
import { IdBox } from '../features/operator/id-box';
import { TimeTravel } from '../features/operator/time-travel';
import { useDecisions } from '../features/operator/use-decisions';
import { formatWhole } from '../ui/format';
import { Page, Section } from '../ui/page';
import { Empty, Failure, Waiting } from '../ui/states';

/** How many decisions are shown at first, and with each `Show more`. */
const AT_ONCE = 25;

/** What an operator decides, the nearest deadline first, and the way to any account, agent or call. */
export function OperatorPage() {
  const { decisions, isComplete, isPending, failed } = useDecisions();
  const [kind, setKind] = useState('All');
  const [most, setMost] = useState(AT_ONCE);
  const kinds = [...new Set(decisions.map((one) => one.kind))];
  const shown = decisions.filter((one) => kind === 'All' || one.kind === kind || !kinds.includes(kind));
  const groups = groupAlike(shown);
  return (
    <Page title="Decisions" subtitle="Each decision needs a reason, which the audit log keeps.">
      <IdBox />
      <Section
        title="Waiting for a decision"
        note={shown.length > 1 && `${formatWhole(shown.length)} decisions, the nearest deadline first.`}
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
          {groups.slice(0, most).map((group) => {
            const [one] = group;
            if (!one) return null;
            return group.length > 1 ? (
              <DecisionGroup key={`${one.kind} ${one.alike}`} decisions={group} />
            ) : (
              <DecisionCard key={`${one.kind} ${one.id}`} decision={one} />
            );
          })}
        </Stack>
        {groups.length > most && (
          <Center>
            <Button variant="subtle" size="compact-sm" onClick={() => setMost(most + AT_ONCE)}>
              Show more
            </Button>
          </Center>
        )}
        {!isComplete && (
          <Text fz="sm" c="dimmed">
            There are more than a thousand of a kind. The oldest appear when others are decided.
          </Text>
        )}
      </Section>
      <TimeTravel />
    </Page>
  );
}
