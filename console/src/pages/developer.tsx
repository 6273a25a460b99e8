import { Card, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, send, type Answer } from '../client/http';
import { get } from '../client/queries';
import { sessionQuery } from '../client/session';
import { Notices } from '../features/payouts/notices';
import { NextPayout } from '../features/payouts/next-payout';
import { PayoutMethodForm } from '../features/payouts/payout-method';
import { TaxFormForm } from '../features/payouts/tax-form';
import { Ask } from '../ui/ask';
import { LinkButton } from '../ui/link';
import { Page, Section } from '../ui/page';

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404;

function taxNote(form: Answer<'/v1/billing/developer/tax-form', 'get'> | undefined): string {
  if (form?.status === 'submitted') return 'An operator reviews it.';
  if (form?.status === 'rejected') return `It was rejected: ${form.review_reason ?? 'no reason was given'}`;
  return 'W-9, W-8BEN or W-8BEN-E.';
}

type Method = Answer<'/v1/billing/developer/payout-method', 'get'>;
const methodText = ({ method, details, processing_time: time }: Method) =>
  [method.toUpperCase(), ...Object.values(details).slice(0, 2), time].join(' · ');

/** What a developer has to do before the first payout, and what was earned. */
export function DeveloperPage() {
  const session = useQuery(sessionQuery);
  const agents = useQuery(get('/v1/developer/agents', { query: { limit: 1 } }));
  const method = useQuery(get('/v1/billing/developer/payout-method'));
  const tax = useQuery(get('/v1/billing/developer/tax-form'));
  return (
    <Page title="Selling" actions={<LinkButton to="/developer/publish">Publish an agent</LinkButton>}>
      <NextPayout />
      <Section title="Before your first payout">
        <Card withBorder>
          <Stack gap="md">
            <Item
              done={session.data?.registration_paid === true}
              title="Pay the registration fee"
              note="Once. It is taken from your wallet."
              action={
                <Ask
                  action="Pay the fee"
                  question="The fee is taken from your wallet. You can publish afterwards."
                  done="The fee is paid."
                  run={() => send('post', '/v1/users/pay-registration')}
                />
              }
            />
            <Item
              done={(agents.data?.items.length ?? 0) > 0}
              title="Publish your first agent"
              note="By its manifest, or by its endpoint alone."
              action={
                <LinkButton to="/developer/publish" variant="default" size="xs">
                  Publish
                </LinkButton>
              }
            />
            <Item
              done={method.isSuccess && !isMissing(method.error) && !method.data.returned_at}
              title="Set a payout method"
              note={
                method.data?.returned_at
                  ? 'The bank sent your last payout back. Set the method again to be paid.'
                  : 'Bank transfer, UPI or USDC.'
              }
              doneNote={method.data && methodText(method.data)}
              action={<PayoutMethodForm label={method.data ? 'Change' : 'Set'} />}
              keepsAction
            />
            <Item
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
      <Notices />
    </Page>
  );
}

interface ItemProps {
  done: boolean;
  title: string;
  note: string;
  doneNote?: string | undefined;
  action?: ReactNode;
  /** It can be done again. */
  keepsAction?: boolean;
}

function Item({ done, title, note, doneNote, action, keepsAction = false }: ItemProps) {
  const text = done ? doneNote : note;
  return (
    <Group wrap="nowrap" align="flex-start">
      <ThemeIcon radius="xl" size={26} variant="light" color={done ? 'green' : 'gray'}>
        {done ? <IconCheck size={16} aria-label="Done" /> : <IconCircleDashed size={16} aria-label="To do" />}
      </ThemeIcon>
      <div className="grow">
        <Text fw={600} {...(done ? { c: 'dimmed' } : {})}>
          {title}
        </Text>
        {text && (
          <Text fz="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
      {(!done || keepsAction) && <div className="fixed">{action}</div>}
    </Group>
  );
}
