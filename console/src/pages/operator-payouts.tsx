import { Anchor, Group, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../client/http';
import { list, type ItemOf } from '../client/queries';
import { LoadRate } from '../features/operator/load-rate';
import { NextRun, WeekTotals } from '../features/operator/payout-week';
import { Ask } from '../ui/ask';
import { ListTable } from '../ui/data-table';
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
  const query = useInfiniteQuery(
    list('/v1/operator/payouts', {
      query: { limit: 25, ...(monday ? { monday } : {}), ...(status ? { status } : {}) },
    }),
  );
  return (
    <Page
      title="Payouts"
      subtitle="Every Monday, developers are paid what they have earned. A failed payout can be tried again."
      actions={<LoadRate />}
    >
      <NextRun />
      <WeekTotals monday={monday} onChange={(value) => change({ monday: value })} />
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
          { title: '', right: true, cell: (one) => <Moves payout={one} /> },
        ]}
      />
    </Page>
  );
}

/** What the state of a payout allows: the outcome at the bank, another attempt, or giving it back. */
function Moves({ payout }: { payout: Payout }) {
  const path = { payout_id: payout.payout_id };
  const settle = (result: 'paid' | 'returned') => (reason: string) =>
    send('post', '/v1/operator/payouts/{payout_id}/settle', { path, body: { result, reason } });
  return (
    <Group gap={6} justify="flex-end">
      {payout.retriable === true && (
        <Ask
          action="Try again"
          question="Another attempt pays the same earnings."
          reason="Reason"
          done="Another attempt has begun."
          run={(reason) => send('post', '/v1/operator/payouts/{payout_id}/retry', { path, body: { reason } })}
        />
      )}
      {payout.status === 'processing' && payout.file_id !== null && (
        <Ask
          action="Paid"
          question="The bank has paid it. This is final unless the bank sends the money back."
          reason="Reason, such as the reference of the bank"
          done="The payout is paid."
          run={settle('paid')}
        />
      )}
      {(payout.status === 'processing' || payout.status === 'paid') && payout.file_id !== null && (
        <Ask
          action="Returned"
          danger
          question="The bank sent the money back. The next payout pays the amount, once the developer has set the method again."
          reason="Reason that the bank gives"
          done="The payout is returned."
          run={settle('returned')}
        />
      )}
      {payout.status === 'pending' && payout.file_id === null && (
        <Ask
          action="Give back"
          question="The payout fails with the reason, and the next one pays its amount."
          reason="Reason"
          done="The amount is with the developer again."
          run={(reason) =>
            send('post', '/v1/operator/payouts/{payout_id}/return', { path, body: { reason } })
          }
        />
      )}
    </Group>
  );
}
