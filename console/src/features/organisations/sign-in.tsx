import { Alert, Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { Refusal } from '../../ui/owner';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Empty } from '../../ui/states';
import { may, type Organisation } from './organisation';
import { Provider } from './provider';
import { NewProvider } from './provider-form';

const PATH = '/v1/organisations/{org_id}/identity-providers';

/** How members log in by the identity provider of their company (docs/single-sign-on.md). */
export function SignIn({ org }: { org: Organisation }) {
  const query = useQuery(get(PATH, { path: { org_id: org.org_id } }));
  return (
    <Stack gap="lg">
      <Section
        title="Identity providers"
        note="Okta, Entra ID, Google Workspace, Keycloak and others, with OpenID Connect. A domain that is proven leads its people to the provider."
        actions={<NewProvider orgId={org.org_id} />}
      >
        <QueryView query={query}>{({ items }) => <Providers org={org} items={items} />}</QueryView>
      </Section>
      {query.data && <Passwords org={org} required={query.data.require_sso} />}
    </Stack>
  );
}

function Providers({ org, items }: { org: Organisation; items: Answer<typeof PATH, 'get'>['items'] }) {
  if (items.length === 0)
    return (
      <Card withBorder padding={0}>
        <Empty title="No identity provider yet">
          Add one, register its redirect address at the provider, and prove the domain of your mail addresses.
        </Empty>
      </Card>
    );
  return (
    <Stack gap="md">
      {items.map((provider) => (
        <Provider key={provider.provider_id} orgId={org.org_id} provider={provider} />
      ))}
    </Stack>
  );
}

/** Whether members may act in sessions that began with a password. */
function Passwords({ org, required }: { org: Organisation; required: boolean }) {
  return (
    <Section title="Passwords">
      {required && (
        <Alert color="blue" variant="light">
          Members act for this organisation in sessions of its identity provider only. Keys are not affected.
        </Alert>
      )}
      <Group align="flex-start" gap="sm">
        <Text fz="sm" maw={520}>
          {required
            ? 'Their own accounts can still be used with a password.'
            : 'Members act for the organisation in any session of theirs, also in one that began with a password.'}
        </Text>
        {may(org, 'own') ? (
          <Ask
            action={required ? 'Permit passwords again' : 'Switch passwords off'}
            question={
              required
                ? 'Sessions that began with a password may act for the organisation again.'
                : 'Sessions that the provider did not begin no longer act for the organisation. Yours must be one that it began. If the provider is lost, an operator of the marketplace can permit passwords again.'
            }
            danger={!required}
            done={required ? 'Passwords are permitted again.' : 'Passwords are switched off.'}
            run={() =>
              send('put', '/v1/organisations/{org_id}/require-sso', {
                path: { org_id: org.org_id },
                body: { required: !required },
              })
            }
          />
        ) : (
          <Refusal needs="own" name={org.name} role={org.role} />
        )}
      </Group>
    </Section>
  );
}
