import { Anchor, Card, Group, Stack, Tabs } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { list, type ItemOf } from '../client/queries';
import { ListTable } from '../ui/data-table';
import { formatWhole } from '../ui/format';
import { Credits, Money } from '../ui/money';
import { Page } from '../ui/page';
import { Empty, Waiting } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

const CreditsByDay = lazy(() =>
  import('../features/charts/over-time').then(({ CreditsByDay: component }) => ({ default: component })),
);

export function EarningsPage() {
  return (
    <Page
      title="Earnings"
      subtitle="Earnings mature when the dispute window of their call has closed. Each Monday pays out what has matured."
    >
      <Tabs defaultValue="payouts" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="payouts">Payouts</Tabs.Tab>
          <Tabs.Tab value="maturing">What matures when</Tabs.Tab>
          <Tabs.Tab value="movements">Movements</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="payouts" pt="md">
          <Payouts />
        </Tabs.Panel>
        <Tabs.Panel value="maturing" pt="md">
          <Maturing />
        </Tabs.Panel>
        <Tabs.Panel value="movements" pt="md">
          <Movements />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Payouts() {
  const query = useInfiniteQuery(list('/v1/billing/developer/payouts', { query: { limit: 25 } }));
  return (
    <ListTable<ItemOf<'/v1/billing/developer/payouts'>>
      label="Payouts"
      query={query}
      keyOf={({ payout_id: id }) => id}
      empty={
        <Empty title="No payouts yet">
          The first one is on the Monday after your first earnings have matured.
        </Empty>
      }
      columns={[
        { title: 'Begun', cell: (one) => <Time at={one.initiated_at} /> },
        { title: 'State', cell: (one) => <Status value={one.status} /> },
        { title: 'By', cell: (one) => one.method?.toUpperCase() ?? '–' },
        { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
        {
          title: 'Amount',
          right: true,
          cell: (one) => <Money minor={one.amount_minor} currency={one.currency} />,
        },
        {
          title: 'Statement',
          right: true,
          cell: ({ payout_id: id }) => (
            <Group gap="xs" justify="flex-end">
              <Anchor fz="sm" href={`/v1/billing/developer/payouts/${id}/statement.pdf`}>
                PDF
              </Anchor>
              <Anchor fz="sm" href={`/v1/billing/developer/payouts/${id}/statement.csv`}>
                CSV
              </Anchor>
            </Group>
          ),
        },
      ]}
    />
  );
}

function Maturing() {
  const query = useInfiniteQuery(list('/v1/billing/developer/earnings', { query: { limit: 50 } }));
  const days = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Stack gap="md">
      {days.length > 1 && (
        <Card withBorder>
          <Suspense fallback={<Waiting lines={1} height={180} />}>
            <CreditsByDay
              label="Credits that mature, by day"
              days={days.map(({ matures_on: day, credits }) => ({ day, credits }))}
            />
          </Suspense>
        </Card>
      )}
      <ListTable<ItemOf<'/v1/billing/developer/earnings'>>
        label="What matures when"
        query={query}
        keyOf={({ matures_on: day }) => day}
        empty={<Empty title="Nothing matures">Earnings of calls appear here at once.</Empty>}
        columns={[
          { title: 'Matures on', cell: (one) => one.matures_on },
          { title: 'Calls', right: true, cell: (one) => formatWhole(one.earnings) },
          {
            title: 'In dispute',
            right: true,
            cell: (one) => <Credits value={one.disputed_credits} unit={false} />,
          },
          { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
        ]}
      />
    </Stack>
  );
}

function Movements() {
  const query = useInfiniteQuery(list('/v1/billing/developer/transactions', { query: { limit: 25 } }));
  return (
    <ListTable<ItemOf<'/v1/billing/developer/transactions'>>
      label="Movements"
      query={query}
      keyOf={(line) => `${line.transaction_id}${line.account}`}
      empty={<Empty title="No movements yet" />}
      columns={[
        { title: 'Time', cell: (line) => <Time at={line.created_at} /> },
        { title: 'What', cell: (line) => line.description },
        {
          title: 'Credits',
          right: true,
          cell: (line) => <Credits value={line.credits} signed unit={false} />,
        },
        {
          title: 'Afterwards',
          right: true,
          cell: (line) => <Credits value={line.balance_after_credits} unit={false} />,
        },
      ]}
    />
  );
}
