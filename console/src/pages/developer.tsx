import { Card, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../client/http';
import { get } from '../client/queries';
import { Notices } from '../features/payouts/notices';
import { NextPayout } from '../features/payouts/next-payout';
import { PayoutMethodForm } from '../features/payouts/payout-method';
import { TaxFormForm } from '../features/payouts/tax-form';
import { FirstSteps } from '../features/own-agents/first-steps';
import { StartSelling } from '../features/own-agents/start-selling';
import { LinkButton } from '../ui/link';
import { NotPermitted, Permitted, useMay, useOwner } from '../ui/owner';
import { Page, Section } from '../ui/page';
import { Waiting } from '../ui/states';
import { Step } from '../ui/step';
import { isolated } from '../ui/isolated';

function taxNote(form: Answer<'/v1/billing/developer/tax-form', 'get'> | undefined): string {
  if (form?.status === 'submitted') return 'An operator reviews it.';
  if (form?.status === 'rejected')
    return `It was rejected: ${isolated(form.review_reason ?? 'no reason was given')}`;
  return 'W-9, W-8BEN or W-8BEN-E.';
}

type Method = Answer<'/v1/billing/developer/payout-method', 'get'>;
const methodText = ({ method, details, processing_time: time }: Method) =>
  [method.toUpperCase(), ...Object.values(details).slice(0, 2), time].join(' · ');

/** Selling: for a buyer, the way to begin; for a developer, what is to do to be paid. */
export function DeveloperPage() {
  const profile = useOwner();
  const may = useMay('viewMoney');
  // A buyer may read nothing of the overview, so the role is awaited.
  if (profile === undefined) return <Waiting lines={4} />;
  if (!may)
    return (
      <Page title="Selling">
        <NotPermitted needs="viewMoney" />
      </Page>
    );
  return profile?.role === 'buyer' ? (
    <StartSelling />
  ) : (
    <Overview isPaid={profile?.registration_paid === true} />
  );
}

function Overview({ isPaid }: { isPaid: boolean }) {
  const balance = useQuery(get('/v1/billing/developer/balance')).data;
  const mayMoney = useMay('money');
  // What is not there is not asked for.
  const method = useQuery({
    ...get('/v1/billing/developer/payout-method'),
    enabled: balance?.has_payout_method === true,
  });
  const tax = useQuery({
    ...get('/v1/billing/developer/tax-form'),
    enabled: balance?.has_tax_form === true && mayMoney,
  });
  const paid = useQuery(get('/v1/billing/developer/payouts', { query: { status: 'paid', limit: 1 } }));
  const wasPaid = (paid.data?.items.length ?? 0) > 0;
  return (
    <Page
      title="Selling"
      actions={
        <Permitted needs="agents" quiet>
          <LinkButton to="/developer/publish">Publish an agent</LinkButton>
        </Permitted>
      }
    >
      <NextPayout />
      {paid.isPending ? (
        <Waiting lines={4} />
      ) : (
        <Section title={wasPaid ? 'How you are paid' : 'Before your first payout'}>
          <Card withBorder>
            <Stack gap="md">
              {!wasPaid && <FirstSteps isPaid={isPaid} />}
              <Step
                done={method.isSuccess && !method.data.returned_at}
                title="Set a payout method"
                note={
                  method.data?.returned_at
                    ? 'The bank sent your last payout back. Set the method again to be paid.'
                    : 'Where each Monday sends what you have earned.'
                }
                doneNote={method.data && methodText(method.data)}
                action={
                  <Permitted needs="payout">
                    <PayoutMethodForm label={method.data ? 'Change' : 'Set'} />
                  </Permitted>
                }
                keepsAction
              />
              <Step
                done={tax.data?.status === 'accepted'}
                title="Send your tax form"
                note={taxNote(tax.data)}
                doneNote={tax.data && `${tax.data.kind.toUpperCase()}, accepted.`}
                action={
                  tax.data?.status !== 'submitted' && (
                    <Permitted needs="payout">
                      <TaxFormForm label={tax.data ? 'Replace' : 'Send'} />
                    </Permitted>
                  )
                }
                keepsAction
              />
            </Stack>
          </Card>
        </Section>
      )}
      <Notices />
    </Page>
  );
}
