import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../client/queries';
import { ListTable } from '../ui/data-table';
import { formatCode } from '../ui/format';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Page } from '../ui/page';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

/** The disputes of the account, as buyer and as developer. */
export function DisputesPage() {
  const query = useInfiniteQuery(list('/v1/billing/disputes', { query: { limit: 25 } }));
  return (
    <Page
      title="Disputes"
      subtitle="A call that succeeded can be disputed for 72 hours. The developer answers within 72 hours; silence accepts."
    >
      <ListTable<ItemOf<'/v1/billing/disputes'>>
        label="Disputes"
        query={query}
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
          { title: 'Agent', cell: (one) => one.agent_id },
          { title: 'Your side', cell: (one) => formatCode(one.role) },
          { title: 'Reason', cell: (one) => formatCode(one.reason) },
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
