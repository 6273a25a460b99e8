import { Card, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { AppLink } from '../../ui/link';
import { Credits, Money } from '../../ui/money';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { CreditsByDay } from '../charts/over-time';
import { StatementFiles } from './statement-files';

type Payout = ItemOf<'/v1/billing/developer/payouts'>;

/** What did not reach the developer: its credits are in a later payout. */
const NOT_PAID: ReadonlySet<Payout['status']> = new Set(['failed', 'returned', 'rolled_over']);

/** The payouts of a developer, newest first, and what each Monday paid. */
export function Payouts() {
  const query = useInfiniteQuery(list('/v1/billing/developer/payouts', { query: { limit: 25 } }));
  const shown = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const days = shown
    .filter(({ status }) => !NOT_PAID.has(status))
    .reverse()
    .map((one) => ({ day: one.period_end.slice(0, 10), credits: one.credits }));
  return (
    <Stack gap="md">
      {days.length > 1 && (
        <Card withBorder>
          <CreditsByDay label="Credits paid out" days={days} />
        </Card>
      )}
      <ListTable<Payout>
        label="Payouts"
        query={query}
        keyOf={({ payout_id: id }) => id}
        empty={
          <Empty title="No payouts yet">
            The first one is on the Monday after your first earnings have matured.
          </Empty>
        }
        columns={[
          {
            title: 'Begun',
            cell: (one) => (
              <AppLink to={`/developer/payouts/${one.payout_id}`}>
                <Time at={one.initiated_at} />
              </AppLink>
            ),
          },
          { title: 'State', cell: (one) => <Status value={one.status} /> },
          { title: 'By', cell: (one) => one.method?.toUpperCase() ?? '–' },
          { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
          {
            title: 'Amount',
            right: true,
            cell: (one) => <Money minor={one.amount_minor} currency={one.currency} />,
          },
          { title: 'Statement', right: true, cell: (one) => <StatementFiles payoutId={one.payout_id} /> },
        ]}
      />
    </Stack>
  );
}
