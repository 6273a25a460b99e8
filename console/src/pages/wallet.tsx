import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../client/http';
import { get, SELDOM } from '../client/queries';
import { AutoTopups } from '../features/wallet/auto-topup';
import { BalanceProof } from '../features/wallet/balance-proof';
import { BillingDetails } from '../features/wallet/billing-details';
import { InvoiceNotes, Invoices } from '../features/wallet/invoices';
import { JobHolds } from '../features/wallet/job-holds';
import { Movements } from '../features/wallet/movements';
import { Statements } from '../features/wallet/statements';
import { Spending } from '../features/wallet/spending';
import { TopUp } from '../features/wallet/top-up';
import { formatCredits, formatUsd } from '../ui/format';
import { Credits } from '../ui/money';
import { NotPermitted, useMay } from '../ui/owner';
import { Figure, Page } from '../ui/page';
import { PageTabs } from '../ui/page-tabs';
import { QueryView } from '../ui/query-view';
import { Waiting } from '../ui/states';

/** What members see whose role does not show them the movements. */
const SPENDING = 'spending';
const TABS = [
  { value: 'ledger', label: 'Movements', content: <Movements /> },
  { value: SPENDING, label: 'Spending', content: <Spending /> },
  { value: 'top-ups', label: 'Automatic top-ups', content: <AutoTopups /> },
  { value: 'invoices', label: 'Invoices', content: <InvoicesTab /> },
];

export function WalletPage() {
  const maySee = useMay('viewMoney');
  const balance = useQuery({ ...get('/v1/billing/balance'), ...SELDOM });
  return (
    <Page title="Wallet" actions={<TopUp />}>
      <QueryView query={balance} waiting={<Waiting lines={1} height={96} />}>
        {(data) => (
          <Group align="stretch">
            <Figure name="Available" note={`worth ${formatUsd(data.usd_equivalent)}`}>
              <Credits value={data.available_credits} />
            </Figure>
            <Figure name="Held" note="for calls that run now">
              <Credits value={data.escrow_credits} />
            </Figure>
            {data.member_budget && <OwnBudget budget={data.member_budget} />}
            <JobHolds holds={data.held_for_jobs} />
          </Group>
        )}
      </QueryView>
      {!maySee && <NotPermitted needs="viewMoney" />}
      <PageTabs tabs={TABS.filter(({ value }) => maySee || value === SPENDING)} />
    </Page>
  );
}

const WINDOWS = { day: 'today', week: 'this week', month: 'this month', lifetime: 'in all' };

/** What the member who acts for an organisation may still spend of its wallet. */
function OwnBudget({
  budget,
}: {
  budget: NonNullable<Answer<'/v1/billing/balance', 'get'>['member_budget']>;
}) {
  return (
    <Figure name="Left for you" note={`of ${formatCredits(budget.credits)} ${WINDOWS[budget.window]}`}>
      <Credits value={budget.left_credits} />
    </Figure>
  );
}

function InvoicesTab() {
  return (
    <Stack gap="xl">
      <Invoices />
      <InvoiceNotes />
      <Statements />
      <BalanceProof />
      <BillingDetails />
    </Stack>
  );
}
