import { Card, Group, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { AppLink } from '../../ui/link';
import { Credits, Money } from '../../ui/money';
import { usePageSize } from '../../ui/page-size';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { CreditsByDay } from '../charts/over-time';
import { StatementFiles } from './statement-files';

type Payout = ItemOf<'/v1/billing/developer/payouts'>;

/** What did not reach the developer: its credits are in a later payout. */
const NOT_PAID: ReadonlySet<Payout['status']> = new Set(['failed', 'returned', 'rolled_over']);

const CSV = [
  { title: 'payout', value: (one: Payout) => one.payout_id },
  { title: 'begun', value: (one: Payout) => one.initiated_at },
  { title: 'ended', value: (one: Payout) => one.completed_at },
  { title: 'period_start', value: (one: Payout) => one.period_start },
  { title: 'period_end', value: (one: Payout) => one.period_end },
  { title: 'state', value: (one: Payout) => one.status },
  { title: 'reason', value: (one: Payout) => one.reason },
  { title: 'method', value: (one: Payout) => one.method },
  { title: 'credits', value: (one: Payout) => one.credits },
  { title: 'amount_minor', value: (one: Payout) => one.amount_minor },
  { title: 'currency', value: (one: Payout) => one.currency },
  { title: 'carried_over_credits', value: (one: Payout) => one.remainder_credits },
];

/** The payouts of a developer, newest first, and what each Monday paid. */
export function Payouts() {
  const limit = usePageSize();
  const query = useInfiniteQuery(list('/v1/billing/developer/payouts', { query: { limit } }));
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
      <Group>
        <ExportButton path="/v1/billing/developer/payouts" name="payouts" columns={CSV} />
      </Group>
      <ListTable<Payout>
        label="Payouts"
        query={query}
        followsRows
        pageSize={limit}
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
