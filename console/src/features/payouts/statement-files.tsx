import { Anchor, Group } from '@mantine/core';

/** The statement of a payout as files. */
export function StatementFiles({ payoutId }: { payoutId: string }) {
  const file = `/v1/billing/developer/payouts/${payoutId}/statement`;
  return (
    <Group gap="xs" justify="flex-end" className="no-print">
      <Anchor fz="sm" href={`${file}.pdf`} aria-label="Statement as PDF">
        PDF
      </Anchor>
      <Anchor fz="sm" href={`${file}.csv`} aria-label="Statement as CSV">
        CSV
      </Anchor>
    </Group>
  );
}
