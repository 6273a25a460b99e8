import { Anchor } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../client/http';
import { list, type ItemOf } from '../client/queries';
import { AuditLog } from '../features/operator/audit-log';
import { LedgerState } from '../features/operator/ledger-state';
import { Monday } from '../features/operator/monday';
import { Ask } from '../ui/ask';
import { ListTable } from '../ui/data-table';
import { formatCode, formatWhole } from '../ui/format';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Credits, Money } from '../ui/money';
import { Page } from '../ui/page';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Day, Time } from '../ui/time';

/** The payouts of all developers, newest first. */
export function OperatorPayoutsPage() {
  const query = useInfiniteQuery(list('/v1/operator/payouts', { query: { limit: 25 } }));
  const retry = (id: string) => (reason: string) =>
    send('post', '/v1/operator/payouts/{payout_id}/retry', { path: { payout_id: id }, body: { reason } });
  return (
    <Page title="Monday" subtitle="The payouts of all developers. A failed one can be tried again.">
      <Monday />
      <ListTable<ItemOf<'/v1/operator/payouts'>>
        label="Payouts"
        query={query}
        keyOf={({ payout_id: id }) => id}
        empty={<Empty title="No payouts yet">The run of the next Monday creates them.</Empty>}
        columns={[
          {
            title: 'Payout',
            cell: (one) => (
              <AppLink to={`/operator/accounts/${one.developer_user_id}`}>
                <Time at={one.initiated_at} />
              </AppLink>
            ),
          },
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
          {
            title: '',
            right: true,
            cell: (one) =>
              one.retriable === true && (
                <Ask
                  action="Try again"
                  question="Another attempt pays the same lots."
                  reason="Reason"
                  done="Another attempt has begun."
                  run={retry(one.payout_id)}
                />
              ),
          },
        ]}
      />
    </Page>
  );
}

/** The sealed days of the ledger. */
export function OperatorLedgerPage() {
  const query = useInfiniteQuery(list('/v1/operator/ledger/digests', { query: { limit: 31 } }));
  return (
    <Page
      title="Ledger"
      subtitle="Each day that has ended is sealed: its digest contains the one of the day before."
    >
      <LedgerState />
      <ListTable<ItemOf<'/v1/operator/ledger/digests'>>
        label="Sealed days"
        query={query}
        keyOf={({ day }) => day}
        empty={<Empty title="No day is sealed yet">A day is sealed after it has ended, in UTC.</Empty>}
        columns={[
          { title: 'Day', cell: (one) => <Day date={one.day} /> },
          { title: 'Transactions', right: true, cell: (one) => formatWhole(one.transactions) },
          { title: 'Entries', right: true, cell: (one) => formatWhole(one.entries) },
          { title: 'Moved', right: true, cell: (one) => <Credits value={one.moved_credits} /> },
          { title: 'Digest', cell: (one) => <Id value={one.digest_sha256} /> },
          { title: 'Sealed', cell: (one) => <Time at={one.sealed_at} /> },
        ]}
      />
    </Page>
  );
}

export function OperatorAuditPage() {
  return (
    <Page
      title="Audit log"
      subtitle="What operators and the service did, and why. Entries are never modified."
    >
      <AuditLog />
    </Page>
  );
}
