import { Card, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { DataTable } from '../../ui/data-table';
import { formatWhole } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { QueryView } from '../../ui/query-view';
import { Empty } from '../../ui/states';
import { CreditsByDay } from '../charts/over-time';
import { Written } from '../../ui/written';

/** What all agents of the developer earned in the last 30 days, by day and agent. */
export function Sales() {
  const query = useQuery(get('/v1/developer/sales'));
  return (
    <QueryView query={query}>
      {({ days, agents, calls, developer_earnings_credits: earned }) =>
        calls === 0 ? (
          <Empty title="No calls in 30 days">What your agents earn appears here with their first call.</Empty>
        ) : (
          <Stack gap="md">
            <Card withBorder>
              <CreditsByDay
                label="Earned by all agents, by day"
                days={days.map(({ date, developer_earnings_credits: credits }) => ({ day: date, credits }))}
              />
            </Card>
            <div>
              <Credits value={earned} fw={600} /> in 30 days, with {formatWhole(calls)}{' '}
              {calls === 1 ? 'call' : 'calls'}.
            </div>
            <Card withBorder padding={0} className="table-card">
              <DataTable
                label="By agent"
                rows={agents}
                keyOf={({ agent_id: id }) => id}
                columns={[
                  {
                    title: 'Agent',
                    cell: ({ agent_id: id, display_name: name }) => (
                      <AppLink to={`/developer/agents/${id}`}>
                        <Written>{name}</Written>
                      </AppLink>
                    ),
                  },
                  { title: 'Calls', right: true, cell: (one) => formatWhole(one.calls) },
                  { title: 'Failed', right: true, cell: (one) => formatWhole(one.failed) },
                  {
                    title: 'Earned',
                    right: true,
                    cell: (one) => <Credits value={one.developer_earnings_credits} unit={false} />,
                  },
                ]}
              />
            </Card>
          </Stack>
        )
      }
    </QueryView>
  );
}
