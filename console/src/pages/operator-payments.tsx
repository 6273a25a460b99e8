import { ProviderPayments } from '../features/operator/provider-payments';
import { TaxSettings } from '../features/operator/tax-settings';
import { X402Payments } from '../features/operator/x402-payments';
import { Page } from '../ui/page';
import { PageTabs } from '../ui/page-tabs';

/** Payments of providers, and payments for single calls of callers without an account. */
export function OperatorPaymentsPage() {
  return (
    <Page
      title="Payments"
      actions={<TaxSettings />}
      subtitle="A payment that does not match its top-up is quarantined until an operator credits or returns it."
    >
      <PageTabs
        tabs={[
          { value: 'topups', label: 'Top-ups', content: <ProviderPayments /> },
          { value: 'x402', label: 'Single calls (x402)', content: <X402Payments /> },
        ]}
      />
    </Page>
  );
}
