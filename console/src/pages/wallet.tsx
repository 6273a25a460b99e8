import { Anchor, Group } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { get, list, SELDOM, type ItemOf } from '../client/queries';
import { TopUp } from '../features/wallet/top-up';
import { ListTable } from '../ui/data-table';
import { formatUsd } from '../ui/format';
import { AppLink } from '../ui/link';
import { Credits, Money } from '../ui/money';
import { Figure, Page } from '../ui/page';
import { PageTabs } from '../ui/page-tabs';
import { QueryView } from '../ui/query-view';
import { Empty, Waiting } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

export function WalletPage() {
  const balance = useQuery({ ...get('/v1/billing/balance'), ...SELDOM });
  return (
    <Page title="Wallet" actions={<TopUp />}>
      <QueryView query={balance} waiting={<Waiting lines={1} height={96} />}>
        {(data) => (
          <Group align="stretch">
            <Figure name="Available" note={`worth ${formatUsd(data.usd_equivalent)}`}>
              <Credits value={data.available_credits} />
            </Figure>
            <Figure name="Held" note="for calls that run now">
              <Credits value={data.escrow_credits} />
            </Figure>
          </Group>
        )}
      </QueryView>
      <PageTabs
        tabs={[
          { value: 'ledger', label: 'Movements', content: <Ledger /> },
          { value: 'invoices', label: 'Invoices', content: <Invoices /> },
        ]}
      />
    </Page>
  );
}

function Ledger() {
  const query = useInfiniteQuery(list('/v1/billing/ledger', { query: { limit: 25 } }));
  return (
    <ListTable<ItemOf<'/v1/billing/ledger'>>
      label="Movements"
      query={query}
      keyOf={(line) => `${line.transaction_id}${line.entry_type}${line.balance_after_credits}`}
      empty={<Empty title="No movements yet">Add credits to call agents.</Empty>}
      columns={[
        { title: 'Time', cell: (line) => <Time at={line.created_at} /> },
        {
          title: 'What',
          cell: (line) =>
            line.invocation_id ? (
              <AppLink to={`/calls/${line.invocation_id}`}>{line.description}</AppLink>
            ) : (
              line.description
            ),
        },
        {
          title: 'Credits',
          right: true,
          cell: (line) => <Credits value={line.credits} signed unit={false} />,
        },
        {
          title: 'Available',
          right: true,
          cell: (line) => <Credits value={line.balance_after_credits} unit={false} />,
        },
      ]}
    />
  );
}

function Invoices() {
  const query = useInfiniteQuery(list('/v1/billing/invoices', { query: { limit: 25 } }));
  return (
    <ListTable<ItemOf<'/v1/billing/invoices'>>
      label="Invoices"
      query={query}
      keyOf={({ invoice_id: id }) => id}
      empty={<Empty title="No invoices yet">Every top-up has one.</Empty>}
      columns={[
        { title: 'Number', cell: (invoice) => <b>{invoice.number}</b> },
        { title: 'Issued', cell: (invoice) => <Time at={invoice.issued_at} /> },
        { title: 'State', cell: (invoice) => <Status value={invoice.status} /> },
        {
          title: 'Amount',
          right: true,
          cell: (invoice) => <Money minor={invoice.amount_minor} currency={invoice.currency} />,
        },
        {
          title: 'Credits',
          right: true,
          cell: (invoice) => <Credits value={invoice.credits} unit={false} />,
        },
        {
          title: '',
          right: true,
          cell: (invoice) => (
            <Anchor
              href={`/v1/billing/invoices/${invoice.invoice_id}.pdf`}
              fz="sm"
              aria-label={`Invoice ${invoice.number} as PDF`}
            >
              PDF
            </Anchor>
          ),
        },
      ]}
    />
  );
}
