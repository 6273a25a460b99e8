import { Card, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { send } from '../client/http';
import { sessionQuery } from '../client/session';
import { get, list, type ItemOf } from '../client/queries';
import { Address } from '../features/account/address-form';
import { Authenticator } from '../features/account/authenticator';
import { BalanceAlert } from '../features/account/balance-alert';
import { Keeping } from '../features/account/keeping-form';
import { MailForm } from '../features/account/mail-form';
import { NameForm } from '../features/account/name-form';
import { PasswordForm } from '../features/account/password-form';
import { TimeZoneForm } from '../features/account/time-zone-form';
import { YourData } from '../features/leaving/your-data';
import { Ask } from '../ui/ask';
import { clientName } from '../ui/client-name';
import { ListTable } from '../ui/data-table';
import { Id } from '../ui/id';
import { useOwnerWords } from '../ui/owner';
import { Facts, Page, Section } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Empty } from '../ui/states';
import { Time } from '../ui/time';

/** What protects the account, and where it is logged in. */
export function AccountPage() {
  const profile = useQuery(sessionQuery).data;
  const security = useQuery(get('/v1/auth/security'));
  const { of } = useOwnerWords();
  const sessions = useInfiniteQuery(list('/v1/auth/sessions', { query: { limit: 50 } }));
  return (
    <Page title="Account">
      <QueryView query={security}>
        {(data) => (
          <>
            <Card withBorder>
              <Stack gap="lg">
                {profile && <NameForm key={profile.displayName} profile={profile} />}
                {profile && <TimeZoneForm key={profile.time_zone} profile={profile} />}
                <Address security={data} />
                <Facts
                  rows={[
                    ['Account id', <Id key="id" value={profile?.user_id ?? ''} />],
                    ['API keys in use', String(data.api_keys)],
                    ['Connected applications', String(data.oauth_grants)],
                  ]}
                />
              </Stack>
            </Card>
            <Section title="Second factor">
              <Authenticator security={data} />
            </Section>
          </>
        )}
      </QueryView>
      <Section title={`Inputs and outputs of calls${of}`}>
        <Card withBorder>
          <Keeping />
        </Card>
      </Section>
      <Section title="Mails about notices">
        <Card withBorder>
          <MailForm />
          <BalanceAlert />
        </Card>
      </Section>
      <Section title="Password">
        <PasswordForm keys={security.data?.api_keys ?? 0} grants={security.data?.oauth_grants ?? 0} />
      </Section>
      <Section
        title="Sessions"
        actions={
          <Ask
            action="End all others"
            question="Every session but this one ends."
            done="All other sessions have ended."
            run={() => send('delete', '/v1/auth/sessions')}
          />
        }
      >
        <ListTable<ItemOf<'/v1/auth/sessions'>>
          label="Sessions"
          query={sessions}
          keyOf={({ session_id: id }) => id}
          empty={<Empty title="No sessions" />}
          columns={[
            { title: 'Begun', cell: (one) => (one.started_at ? <Time at={one.started_at} /> : '–') },
            {
              title: 'Client',
              cell: (one) => (
                <Text fz="sm" className="clamp anywhere" dir="auto" title={one.user_agent ?? undefined}>
                  {clientName(one.user_agent)}
                </Text>
              ),
            },
            { title: 'Network', cell: (one) => one.network ?? '–' },
            {
              title: '',
              right: true,
              cell: (one) =>
                one.current ? (
                  'This one'
                ) : (
                  <Ask
                    action="End"
                    question="The session ends at once."
                    done="The session has ended."
                    run={() =>
                      send('delete', '/v1/auth/sessions/{session_id}', {
                        path: { session_id: one.session_id },
                      })
                    }
                  />
                ),
            },
          ]}
        />
      </Section>
      <YourData />
    </Page>
  );
}
