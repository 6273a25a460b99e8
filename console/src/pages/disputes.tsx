import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../client/queries';
import { ListTable } from '../ui/data-table';
import { reasonText } from '../features/calls/dispute-reasons';
import { ExportButton } from '../ui/export-button';
import { formatCode } from '../ui/format';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Page } from '../ui/page';
import { usePageSize } from '../ui/page-size';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Dispute = ItemOf<'/v1/billing/disputes'>;

const CSV = [
  { title: 'dispute', value: (one: Dispute) => one.dispute_id },
  { title: 'opened', value: (one: Dispute) => one.opened_at },
  { title: 'call', value: (one: Dispute) => one.invocation_id },
  { title: 'agent', value: (one: Dispute) => one.agent_id },
  { title: 'agent_name', value: (one: Dispute) => one.agent_name },
  { title: 'side', value: (one: Dispute) => one.role },
  { title: 'reason', value: (one: Dispute) => one.reason },
  { title: 'state', value: (one: Dispute) => one.status },
  { title: 'respond_by', value: (one: Dispute) => one.respond_by },
  { title: 'decided', value: (one: Dispute) => one.resolved_at },
  { title: 'refunded_credits', value: (one: Dispute) => one.refunded_credits },
];

/** The disputes of the account, as buyer and as developer. */
export function DisputesPage() {
  const limit = usePageSize();
  const query = useInfiniteQuery(list('/v1/billing/disputes', { query: { limit } }));
  return (
    <Page
      title="Disputes"
      subtitle="A call that succeeded can be disputed for 72 hours. The developer answers within 72 hours; silence accepts."
      actions={<ExportButton path="/v1/billing/disputes" name="disputes" columns={CSV} />}
    >
      <ListTable<Dispute>
        label="Disputes"
        query={query}
        followsRows
        pageSize={limit}
        keyOf={({ dispute_id: id }) => id}
        empty={<Empty title="No disputes">Open one on the page of a call that went wrong.</Empty>}
        columns={[
          {
            title: 'Opened',
            cell: (one) => (
              <AppLink to={`/disputes/${one.dispute_id}`}>
                <Time at={one.opened_at} />
              </AppLink>
            ),
          },
          { title: 'Agent', cell: (one) => <bdi title={one.agent_id}>{one.agent_name}</bdi> },
          { title: 'Your side', cell: (one) => formatCode(one.role) },
          { title: 'Reason', cell: (one) => reasonText(one.reason) },
          { title: 'State', cell: (one) => <Status value={one.status} /> },
          {
            title: 'Answer due',
            cell: (one) => (one.status === 'open' && one.respond_by ? <Time at={one.respond_by} ago /> : '–'),
          },
          { title: 'Refunded', right: true, cell: (one) => <Credits value={one.refunded_credits} /> },
        ]}
      />
    </Page>
  );
}
