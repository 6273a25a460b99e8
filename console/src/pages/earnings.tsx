import { Card, Group, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../client/queries';
import { ListTable } from '../ui/data-table';
import { ExportButton } from '../ui/export-button';
import { formatWhole } from '../ui/format';
import { CreditsByDay } from '../features/charts/over-time';
import { NextPayout } from '../features/payouts/next-payout';
import { Payouts } from '../features/payouts/payouts';
import { Sales } from '../features/payouts/sales';
import { Credits } from '../ui/money';
import { Page } from '../ui/page';
import { PageTabs } from '../ui/page-tabs';
import { usePageSize } from '../ui/page-size';
import { Empty } from '../ui/states';
import { Day, Time } from '../ui/time';

export function EarningsPage() {
  return (
    <Page
      title="Earnings"
      subtitle="Earnings mature when the dispute window of their call has closed. Each Monday pays out what has matured."
    >
      <NextPayout />
      <PageTabs
        tabs={[
          { value: 'payouts', label: 'Payouts', content: <Payouts /> },
          { value: 'sales', label: 'By agent', content: <Sales /> },
          { value: 'maturing', label: 'What matures when', content: <Maturing /> },
          { value: 'movements', label: 'Movements', content: <Movements /> },
        ]}
      />
    </Page>
  );
}

function Maturing() {
  const query = useInfiniteQuery(list('/v1/billing/developer/earnings', { query: { limit: 50 } }));
  const days = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Stack gap="md">
      {days.length > 1 && (
        <Card withBorder>
          <CreditsByDay
            label="Credits that mature, by day"
            days={days.map(({ matures_on: day, credits }) => ({ day, credits }))}
          />
        </Card>
      )}
      <ListTable<ItemOf<'/v1/billing/developer/earnings'>>
        label="What matures when"
        query={query}
        keyOf={({ matures_on: day }) => day}
        empty={<Empty title="Nothing matures">Earnings of calls appear here at once.</Empty>}
        columns={[
          { title: 'Matures on', cell: (one) => <Day date={one.matures_on} /> },
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

type Transaction = ItemOf<'/v1/billing/developer/transactions'>;

const CSV = [
  { title: 'time', value: (line: Transaction) => line.created_at },
  { title: 'account', value: (line: Transaction) => line.account },
  { title: 'type', value: (line: Transaction) => line.entry_type },
  { title: 'description', value: (line: Transaction) => line.description },
  { title: 'credits', value: (line: Transaction) => line.credits },
  { title: 'balance_after', value: (line: Transaction) => line.balance_after_credits },
  { title: 'agent', value: (line: Transaction) => line.agent_id },
  { title: 'call', value: (line: Transaction) => line.invocation_id },
  { title: 'transaction', value: (line: Transaction) => line.transaction_id },
];

function Movements() {
  const limit = usePageSize();
  const query = useInfiniteQuery(list('/v1/billing/developer/transactions', { query: { limit } }));
  return (
    <Stack gap="sm">
      <Group>
        <ExportButton path="/v1/billing/developer/transactions" name="earnings" columns={CSV} />
      </Group>
      <ListTable<Transaction>
        label="Movements"
        query={query}
        pageSize={limit}
        keyOf={(line) => `${line.transaction_id}${line.account}`}
        empty={<Empty title="No movements yet" />}
        columns={[
          { title: 'Time', cell: (line) => <Time at={line.created_at} seconds /> },
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
    </Stack>
  );
}
