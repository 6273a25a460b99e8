import { Anchor, Group, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../client/queries';
import { PAYOUTS_CSV } from '../features/operator/list-files';
import { LoadRate } from '../features/operator/load-rate';
import { PayoutMoves } from '../features/operator/payout-moves';
import { NextRun, WeekTotals } from '../features/operator/payout-week';
import { ListTable } from '../ui/data-table';
import { ExportButton } from '../ui/export-button';
import { formatCode } from '../ui/format';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Credits, Money } from '../ui/money';
import { Page } from '../ui/page';
import { useChangeSearch, useSearchValue } from '../ui/params';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Day } from '../ui/time';

type Payout = ItemOf<'/v1/operator/payouts'>;
const STATES = ['reserving', 'pending', 'processing', 'paid', 'failed', 'returned', 'rolled_over'] as const;

/** The payouts of all developers: of one week or all, with what can be done about each. */
export function OperatorPayoutsPage() {
  const change = useChangeSearch();
  const monday = useSearchValue('monday');
  const wanted = useSearchValue('status');
  const status = STATES.find((one) => one === wanted);
  const filter = { ...(monday ? { monday } : {}), ...(status ? { status } : {}) };
  const query = useInfiniteQuery(list('/v1/operator/payouts', { query: { limit: 25, ...filter } }));
  return (
    <Page
      title="Payouts"
      subtitle="Every Monday, developers are paid what they have earned. A failed payout can be tried again."
      actions={<LoadRate />}
    >
      <NextRun />
      <WeekTotals monday={monday} onChange={(value) => change({ monday: value })} />
      <Group align="flex-end">
        <Select
          label="State"
          size="xs"
          w={180}
          clearable
          placeholder="All"
          value={status ?? null}
          onChange={(value) => change({ status: value })}
          data={STATES.map((value) => ({ value, label: formatCode(value) }))}
        />
        <ExportButton
          path="/v1/operator/payouts"
          input={{ query: filter }}
          name={`payouts-${monday ?? 'all'}`}
          columns={PAYOUTS_CSV}
        />
      </Group>
      <ListTable<Payout>
        label="Payouts"
        query={query}
        keyOf={({ payout_id: id }) => id}
        empty={<Empty title="No payouts">The run of a Monday creates them.</Empty>}
        columns={[
          {
            title: 'Developer',
            cell: (one) => (
              <AppLink to={`/operator/accounts/${one.developer_user_id}`}>
                <bdi className="anywhere">{one.developer_name ?? 'Account'}</bdi>
              </AppLink>
            ),
          },
          { title: 'Monday', cell: (one) => <Day date={one.period_end.slice(0, 10)} /> },
          { title: 'Id', cell: (one) => <Id value={one.payout_id} /> },
          { title: 'State', cell: (one) => <Status value={one.status} /> },
          { title: 'Because', cell: (one) => (one.reason ? formatCode(one.reason) : '–') },
          { title: 'By', cell: (one) => one.method?.toUpperCase() ?? '–' },
          {
            title: 'File',
            cell: ({ file_id: file }) =>
              file === null ? (
                '–'
              ) : (
                <Anchor fz="sm" href={`/v1/operator/payout-files/${file}`}>
                  {file}
                </Anchor>
              ),
          },
          { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
          {
            title: 'Amount',
            right: true,
            cell: (one) => <Money minor={one.amount_minor} currency={one.currency} />,
          },
          { title: '', right: true, cell: (one) => <PayoutMoves payout={one} /> },
        ]}
      />
    </Page>
  );
}
