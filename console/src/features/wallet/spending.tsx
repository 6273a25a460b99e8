import { Card, Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { get } from '../../client/queries';
import { DataTable } from '../../ui/data-table';
import { formatCredits, formatWhole } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Figure, Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Empty } from '../../ui/states';
import { CreditsByDay } from '../charts/over-time';
import { Budgets } from './budgets';
import { monthsOf } from './months';
import { SpendGroups } from './spend-groups';
import { Written } from '../../ui/written';

type Spend = Answer<'/v1/billing/spend', 'get'>;

/** What the calls cost: this month against the last one, by day, agent, key and tag. */
export function Spending() {
  const months = monthsOf(new Date());
  const both = useQuery(get('/v1/billing/spend', { query: { since: months.last } }));
  const current = useQuery(get('/v1/billing/spend', { query: { since: months.current } }));
  return (
    <Stack gap="lg">
      <QueryView query={both}>
        {({ days }) => {
          const isThis = ({ date }: { date: string }) => date >= months.current.slice(0, 10);
          const sumOf = (some: Spend['days']) => some.reduce((sum, { credits }) => sum + credits, 0);
          const sums = [sumOf(days.filter(isThis)), sumOf(days.filter((day) => !isThis(day)))] as const;
          return (
            <>
              <Group align="stretch">
                <Figure name="This month" note={change(...sums)}>
                  <Credits value={sums[0]} />
                </Figure>
                <Figure name="Last month" note="months in UTC">
                  <Credits value={sums[1]} />
                </Figure>
              </Group>
              {days.some(({ calls }) => calls > 0) && (
                <Card withBorder>
                  <CreditsByDay
                    label="Credits for calls, by day"
                    days={days.map(({ date, credits }) => ({ day: date, credits }))}
                  />
                </Card>
              )}
            </>
          );
        }}
      </QueryView>
      <QueryView query={current}>{(spend) => <Shares spend={spend} />}</QueryView>
      <SpendGroups />
      <Budgets />
    </Stack>
  );
}

/** Such as "12 credits less than in the whole last month". */
function change(current: number, last: number): string {
  if (current === last) return 'as much as in the whole last month';
  const difference = formatCredits(Math.abs(current - last));
  return `${difference} credits ${current > last ? 'more' : 'less'} than in the whole last month`;
}

function Shares({ spend: { agents, keys } }: { spend: Spend }) {
  if (agents.length === 0)
    return (
      <Empty title="No charged calls this month">What calls cost appears here with the first of them.</Empty>
    );
  const figures = [
    { title: 'Calls', right: true, cell: ({ calls }: { calls: number }) => formatWhole(calls) },
    {
      title: 'Credits',
      right: true,
      cell: ({ credits }: { credits: number }) => <Credits value={credits} unit={false} />,
    },
  ];
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Section title="By agent this month">
        <Card withBorder padding={0} className="table-card">
          <DataTable
            label="By agent"
            rows={agents}
            keyOf={({ agent_id: id }) => id}
            columns={[
              {
                title: 'Agent',
                cell: ({ agent_id: id, display_name: name }) => (
                  <AppLink to="/calls" search={{ agent: id }}>
                    <Written>{name ?? id}</Written>
                  </AppLink>
                ),
              },
              ...figures,
            ]}
          />
        </Card>
      </Section>
      <Section title="By key this month">
        <Card withBorder padding={0} className="table-card">
          <DataTable
            label="By key"
            rows={keys}
            keyOf={({ key_id: id }) => id ?? ''}
            columns={[
              {
                title: 'Key',
                cell: ({ key_id: id, name }) =>
                  id === null ? (
                    'Without a key'
                  ) : (
                    <AppLink to="/calls" search={{ key: id }}>
                      <Written>{name ?? id}</Written>
                    </AppLink>
                  ),
              },
              ...figures,
            ]}
          />
        </Card>
      </Section>
    </SimpleGrid>
  );
}
