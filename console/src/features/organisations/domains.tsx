import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { Ask } from '../../ui/ask';
import { Facts } from '../../ui/page';
import { Failure, problemOf } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { Copied } from './copied';
import type { IdentityProvider } from './organisation';

const PATH = '/v1/organisations/{org_id}/identity-providers/{provider_id}/domains/{domain}';

interface DomainsProps {
  orgId: string;
  provider: IdentityProvider;
}

/** The domains of mail addresses for which the provider answers, with the record that proves each. */
export function Domains({ orgId, provider }: DomainsProps) {
  const path = { org_id: orgId, provider_id: provider.provider_id };
  return (
    <Stack gap="sm">
      {provider.domains.map((domain) => (
        <Domain key={domain.domain} domain={domain} path={{ ...path, domain: domain.domain }} />
      ))}
      <AddDomain path={path} />
    </Stack>
  );
}

interface DomainProps {
  domain: IdentityProvider['domains'][number];
  path: { org_id: string; provider_id: string; domain: string };
}

function Domain({
  domain: { domain, txt_name: name, txt_value: value, verified_at: at },
  path,
}: DomainProps) {
  return (
    <Stack gap={6} role="group" aria-label={domain}>
      <Group gap="xs">
        <Text fw={600} className="anywhere">
          {domain}
        </Text>
        {at === null ? (
          <Status value="waiting" label="Not proven yet" />
        ) : (
          <Text fz="sm" c="dimmed">
            proven <Time at={at} />
          </Text>
        )}
        {at === null && <Verify path={path} />}
        <Ask
          action="Remove the domain"
          danger
          question={`People with addresses at ${domain} can no longer log in by this provider.`}
          done="The domain is removed."
          run={() => send('delete', PATH, { path })}
        />
      </Group>
      {at === null && (
        <>
          <Text fz="sm">Publish this TXT record, then have it checked. It may take an hour to be seen.</Text>
          <Facts
            rows={[
              ['Name', <Copied key="n" value={name} what="name of the record" />],
              ['Text', <Copied key="v" value={value} what="text of the record" />],
            ]}
          />
        </>
      )}
    </Stack>
  );
}

function Verify({ path }: Pick<DomainProps, 'path'>) {
  const queries = useQueryClient();
  const verify = useMutation({
    mutationFn: () => send('post', `${PATH}/verify`, { path }),
    onSuccess: () => {
      notifications.show({ message: `${path.domain} is proven.`, color: 'green' });
      return queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button size="xs" onClick={() => verify.mutate()} loading={verify.isPending}>
        Check the record
      </Button>
      {verify.isError && <Failure error={verify.error} />}
    </>
  );
}

function AddDomain({ path }: { path: { org_id: string; provider_id: string } }) {
  const queries = useQueryClient();
  const [domain, setDomain] = useState('');
  const add = useMutation({
    mutationFn: () => send('put', PATH, { path: { ...path, domain: domain.trim().toLowerCase() } }),
    onSuccess: () => {
      setDomain('');
      return queries.invalidateQueries();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Domain of mail addresses"
          placeholder="example.com"
          value={domain}
          onChange={(event) => setDomain(event.currentTarget.value)}
          error={problemOf(add.error, 'path.domain')}
          required
          maxLength={253}
        />
        <Button type="submit" variant="default" loading={add.isPending}>
          Add the domain
        </Button>
      </Group>
      {add.isError && <Failure error={add.error} fields={['path.domain']} />}
    </form>
  );
}
