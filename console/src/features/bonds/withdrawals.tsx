import { Card } from '@mantine/core';
import type { Answer } from '../../client/http';
import { DataTable } from '../../ui/data-table';
import { Credits } from '../../ui/money';
import { Section } from '../../ui/page';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Withdrawal = Answer<'/v1/billing/developer/bond', 'get'>['withdrawals'][number];

/** Withdrawals from the bond, newest first, and when each is paid. */
export function Withdrawals({ withdrawals }: { withdrawals: readonly Withdrawal[] }) {
  return (
    <Section title="Withdrawals">
      <Card withBorder padding={0} className="table-card">
        <DataTable<Withdrawal>
          label="Withdrawals"
          rows={withdrawals}
          keyOf={({ withdrawal_id: id }) => id}
          columns={[
            { title: 'Requested', cell: (one) => <Time at={one.requested_at} /> },
            {
              title: 'State',
              cell: (one) => (
                <Status value={one.status} {...(one.status === 'noticed' && { label: 'In notice' })} />
              ),
            },
            { title: 'Due', cell: (one) => <Time at={one.due_at} ago={one.completed_at === null} /> },
            { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
            {
              title: 'Paid',
              right: true,
              cell: (one) =>
                one.paid_credits === null ? '–' : <Credits value={one.paid_credits} unit={false} />,
            },
          ]}
        />
      </Card>
    </Section>
  );
}
