import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../client/queries';
import { AuditFilters, useAuditFilter } from '../features/operator/audit-filters';
import { AuditLog } from '../features/operator/audit-log';
import { LedgerState } from '../features/operator/ledger-state';
import { ListTable } from '../ui/data-table';
import { formatWhole } from '../ui/format';
import { Id } from '../ui/id';
import { Credits } from '../ui/money';
import { Page } from '../ui/page';
import { Empty } from '../ui/states';
import { Day, Time } from '../ui/time';

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
      <AuditLog query={useAuditFilter()}>
        <AuditFilters />
      </AuditLog>
    </Page>
  );
}
