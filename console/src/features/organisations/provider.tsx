import { Alert, Button, Card, Group, Stack, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { send } from '../../client/http';
import { Ask } from '../../ui/ask';
import { formatCode } from '../../ui/format';
import { isolated } from '../../ui/isolated';
import { Facts } from '../../ui/page';
import { Failure } from '../../ui/states';
import { Status } from '../../ui/status';
import { Copied } from './copied';
import { Domains } from './domains';
import type { IdentityProvider } from './organisation';
import { ChangeProvider } from './provider-form';

interface ProviderProps {
  orgId: string;
  provider: IdentityProvider;
}

/** One identity provider with its domains. */
export function Provider({ orgId, provider }: ProviderProps) {
  const { provider_id: id, name, enabled } = provider;
  const path = { org_id: orgId, provider_id: id };
  return (
    <Card withBorder component="section" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Title order={3} dir="auto" className="anywhere">
              {name}
            </Title>
            <Status value={enabled ? 'active' : 'gone'} label={enabled ? 'On' : 'Off'} />
          </Group>
          <Group gap={6}>
            <ChangeProvider key={JSON.stringify(provider)} orgId={orgId} provider={provider} />
            <Ask
              action={enabled ? 'Switch off' : 'Switch on'}
              question={
                enabled
                  ? `No logins by ${isolated(name)} any more, and the sessions that it began end at once.`
                  : `People of the proven domains can log in by ${isolated(name)} again.`
              }
              done={enabled ? 'The provider is off.' : 'The provider is on.'}
              run={() =>
                send('patch', '/v1/organisations/{org_id}/identity-providers/{provider_id}', {
                  path,
                  body: { enabled: !enabled },
                })
              }
            />
            <Ask
              action="Delete"
              danger
              question={`${isolated(name)} is deleted with its domains, and the sessions that it began end at once.`}
              done="The provider is deleted."
              run={() =>
                send('delete', '/v1/organisations/{org_id}/identity-providers/{provider_id}', { path })
              }
            />
          </Group>
        </Group>
        <Facts
          rows={[
            ['Issuer', provider.issuer],
            ['Client id', provider.client_id],
            ['Redirect address', <Copied key="r" value={provider.redirect_uri} what="redirect address" />],
            ['Role at the first login', formatCode(provider.default_role)],
          ]}
        />
        <TestConnection orgId={orgId} providerId={id} />
        <Domains orgId={orgId} provider={provider} />
      </Stack>
    </Card>
  );
}

/** Reads the documents of the provider now, and says what is wrong with them. */
function TestConnection({ orgId, providerId }: { orgId: string; providerId: string }) {
  const test = useMutation({
    mutationFn: () =>
      send('post', '/v1/organisations/{org_id}/identity-providers/{provider_id}/test', {
        path: { org_id: orgId, provider_id: providerId },
      }),
  });
  return (
    <Group gap="sm">
      <Button variant="default" size="xs" onClick={() => test.mutate()} loading={test.isPending}>
        Test the connection
      </Button>
      {test.isError && <Failure error={test.error} />}
      {test.isSuccess && (
        <Alert color={test.data.ok ? 'green' : 'red'} variant="light" role="status" p="xs">
          {test.data.ok
            ? `The provider answers, and publishes ${test.data.keys} ${test.data.keys === 1 ? 'key' : 'keys'}. A login proves client id and secret.`
            : (test.data.problem ?? 'The provider does not answer.')}
        </Alert>
      )}
    </Group>
  );
}
