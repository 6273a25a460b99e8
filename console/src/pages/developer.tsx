import { Card, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { send, type Answer } from '../client/http';
import { get } from '../client/queries';
import { sessionQuery } from '../client/session';
import { Notices } from '../features/payouts/notices';
import { NextPayout } from '../features/payouts/next-payout';
import { PayoutMethodForm } from '../features/payouts/payout-method';
import { TaxFormForm } from '../features/payouts/tax-form';
import { StartSelling } from '../features/own-agents/start-selling';
import { Ask } from '../ui/ask';
import { formatCredits } from '../ui/format';
import { LinkButton } from '../ui/link';
import { Page, Section } from '../ui/page';
import { Waiting } from '../ui/states';
import { Step } from '../ui/step';
import { marketplaceQuery } from '../ui/support';
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
  const profile = useQuery(sessionQuery).data;
  // A buyer may read nothing of the overview, so the role is awaited.
  if (profile === undefined) return <Waiting lines={4} />;
  return profile?.role === 'buyer' ? (
    <StartSelling />
  ) : (
    <Overview isPaid={profile?.registration_paid === true} />
  );
}

function Overview({ isPaid }: { isPaid: boolean }) {
  const balance = useQuery(get('/v1/billing/developer/balance')).data;
  // What is not there is not asked for.
  const method = useQuery({
    ...get('/v1/billing/developer/payout-method'),
    enabled: balance?.has_payout_method === true,
  });
  const tax = useQuery({
    ...get('/v1/billing/developer/tax-form'),
    enabled: balance?.has_tax_form === true,
  });
  const paid = useQuery(get('/v1/billing/developer/payouts', { query: { status: 'paid', limit: 1 } }));
  const wasPaid = (paid.data?.items.length ?? 0) > 0;
  return (
    <Page title="Selling" actions={<LinkButton to="/developer/publish">Publish an agent</LinkButton>}>
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
                action={<PayoutMethodForm label={method.data ? 'Change' : 'Set'} />}
                keepsAction
              />
              <Step
                done={tax.data?.status === 'accepted'}
                title="Send your tax form"
                note={taxNote(tax.data)}
                doneNote={tax.data && `${tax.data.kind.toUpperCase()}, accepted.`}
                action={
                  tax.data?.status !== 'submitted' && <TaxFormForm label={tax.data ? 'Replace' : 'Send'} />
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

/** What comes before there is anything to pay out. */
function FirstSteps({ isPaid }: { isPaid: boolean }) {
  const agents = useQuery(get('/v1/developer/agents', { query: { limit: 1 } }));
  return (
    <>
      <Fee isPaid={isPaid} />
      <Step
        done={(agents.data?.items.length ?? 0) > 0}
        title="Publish your first agent"
        note="By its manifest, or by its endpoint alone."
        action={
          <Group gap="xs">
            <LinkButton to="/developer/publish" variant="default" size="xs">
              By its manifest
            </LinkButton>
            <LinkButton to="/developer/register" variant="default" size="xs">
              By its endpoint
            </LinkButton>
          </Group>
        }
      />
    </>
  );
}

function Fee({ isPaid }: { isPaid: boolean }) {
  const fee = useQuery(marketplaceQuery).data?.registration_fee_credits;
  const wallet = useQuery(get('/v1/billing/balance')).data?.available_credits;
  const isShort = fee !== undefined && wallet !== undefined && wallet < fee;
  const words = fee === undefined ? 'the fee' : `${formatCredits(fee)} credits`;
  const has = wallet === undefined ? '' : ` Your wallet has ${formatCredits(wallet)} credits.`;
  return (
    <Step
      done={isPaid}
      title={`Pay the registration fee${fee === undefined ? '' : `: ${words}`}`}
      note={`Once, for any number of agents. It is taken from your wallet.${has}`}
      action={
        isShort ? (
          <LinkButton to="/wallet" search={{ add: '1', next: '/developer' }} variant="default" size="xs">
            Add credits
          </LinkButton>
        ) : (
          <Ask
            action={`Pay ${words}`}
            question={`${words.charAt(0).toUpperCase()}${words.slice(1)} are taken from your wallet, once. You can publish afterwards.${has}`}
            done="The fee is paid."
            run={() => send('post', '/v1/users/pay-registration')}
          />
        )
      }
    />
  );
}
