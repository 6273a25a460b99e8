import { Anchor, Group, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { Credits, Money } from '../../ui/money';
import { usePageSize } from '../../ui/page-size';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Invoice = ItemOf<'/v1/billing/invoices'>;

const CSV = [
  { title: 'number', value: (one: Invoice) => one.number },
  { title: 'issued', value: (one: Invoice) => one.issued_at },
  { title: 'state', value: (one: Invoice) => one.status },
  { title: 'amount_minor', value: (one: Invoice) => one.amount_minor },
  { title: 'currency', value: (one: Invoice) => one.currency },
  { title: 'credits', value: (one: Invoice) => one.credits },
];

/** The invoices of the top-ups. */
export function Invoices() {
  const limit = usePageSize();
  const query = useInfiniteQuery(list('/v1/billing/invoices', { query: { limit } }));
  return (
    <Stack gap="sm">
      <Group>
        <ExportButton path="/v1/billing/invoices" name="invoices" columns={CSV} />
      </Group>
      <ListTable<Invoice>
        label="Invoices"
        query={query}
        pageSize={limit}
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
    </Stack>
  );
}
