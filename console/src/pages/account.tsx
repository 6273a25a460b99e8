import { Card, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { send } from '../client/http';
import { get, list, type ItemOf } from '../client/queries';
import { PasswordForm } from '../features/account/password-form';
import { Ask } from '../ui/ask';
import { ListTable } from '../ui/data-table';
import { Facts, Page, Section } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Empty } from '../ui/states';
import { Time } from '../ui/time';

/** What protects the account, and where it is logged in. */
export function AccountPage() {
  const security = useQuery(get('/v1/auth/security'));
  const sessions = useInfiniteQuery(list('/v1/auth/sessions', { query: { limit: 50 } }));
  return (
    <Page title="Account">
      <QueryView query={security}>
        {(data) => (
          <Card withBorder>
            <Facts
              rows={[
                ['Email', data.email],
                ['Email confirmed', data.email_confirmed ? 'Yes' : 'No'],
                ['Authenticator app', data.authenticator ? 'In use' : 'Not in use'],
                data.authenticator && ['Recovery codes left', String(data.recovery_codes_left)],
                ['API keys in use', String(data.api_keys)],
                ['OAuth grants in use', String(data.oauth_grants)],
              ]}
            />
          </Card>
        )}
      </QueryView>
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
                <Text fz="sm" className="clamp anywhere">
                  {one.user_agent ?? 'Unknown'}
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
    </Page>
  );
}
