import { Anchor, Group, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { Credits, Money } from '../../ui/money';
import { Section } from '../../ui/page';
import { usePageSize } from '../../ui/page-size';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Invoice = ItemOf<'/v1/billing/invoices'>;
type Note = ItemOf<'/v1/billing/invoice-notes'>;

const CSV = [
  { title: 'number', value: (one: Invoice) => one.number },
  { title: 'issued', value: (one: Invoice) => one.issued_at },
  { title: 'state', value: (one: Invoice) => one.status },
  { title: 'amount_minor', value: (one: Invoice) => one.amount_minor },
  { title: 'tax_minor', value: (one: Invoice) => one.tax_minor ?? 0 },
  { title: 'currency', value: (one: Invoice) => one.currency },
  { title: 'credits', value: (one: Invoice) => one.credits },
];

/** Links to the files of a document. */
function Files({ path, name, electronic }: { path: string; name: string; electronic?: true | undefined }) {
  return (
    <Group gap="sm" justify="flex-end" wrap="nowrap">
      <Anchor href={`${path}.pdf`} fz="sm" aria-label={`${name} as PDF`}>
        PDF
      </Anchor>
      {electronic && (
        <Anchor href={`${path}.xml`} fz="sm" aria-label={`${name} as XML, an electronic invoice`}>
          XML
        </Anchor>
      )}
    </Group>
  );
}

/** The credit and debit notes of the invoices. Without any, nothing is shown. */
export function InvoiceNotes() {
  const limit = usePageSize();
  const query = useInfiniteQuery(list('/v1/billing/invoice-notes', { query: { limit } }));
  const isEmpty = query.data?.pages[0]?.items.length === 0;
  if (isEmpty) return null;
  return (
    <Section title="Credit notes" note="Of refunds and chargebacks of your top-ups.">
      <ListTable<Note>
        label="Credit notes"
        query={query}
        pageSize={limit}
        keyOf={({ note_id: id }) => id}
        empty={<Empty title="No credit notes">A refund of a top-up has one.</Empty>}
        columns={[
          { title: 'Number', cell: (note) => <b>{note.number}</b> },
          { title: 'Issued', cell: (note) => <Time at={note.issued_at} /> },
          { title: 'Of invoice', cell: (note) => note.invoice_number },
          {
            title: 'Amount',
            right: true,
            cell: (note) => <Money minor={note.amount_minor} currency={note.currency} />,
          },
          { title: 'Credits', right: true, cell: (note) => <Credits value={note.credits} unit={false} /> },
          {
            title: '',
            right: true,
            cell: (note) => (
              <Files
                path={`/v1/billing/invoice-notes/${note.note_id}`}
                name={`${note.kind === 'credit' ? 'Credit' : 'Debit'} note ${note.number}`}
                electronic={note.electronic}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}

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
            title: 'Tax',
            right: true,
            cell: (invoice) =>
              invoice.tax_minor ? <Money minor={invoice.tax_minor} currency={invoice.currency} /> : '',
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
              <Files
                path={`/v1/billing/invoices/${invoice.invoice_id}`}
                name={`Invoice ${invoice.number}`}
                electronic={invoice.electronic}
              />
            ),
          },
        ]}
      />
    </Stack>
  );
}
