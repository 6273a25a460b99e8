import { Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { list, type ItemOf } from '../client/queries';
import { Applications } from '../features/keys/applications';
import { ChangeKey } from '../features/keys/change-key';
import { KeyLimits, Small } from '../features/keys/grant-agents';
import { Mandates } from '../features/keys/mandates';
import { NewKey, type CreatedKey } from '../features/keys/new-key';
import { NewSecret } from '../features/keys/new-secret';
import { Rates } from '../features/keys/rates';
import { keySnippet, scopeWords } from '../features/keys/scopes';
import { SpendOf } from '../features/keys/spend';
import { Ask } from '../ui/ask';
import { ListTable } from '../ui/data-table';
import { AppLink } from '../ui/link';
import { NotPermitted, useMay } from '../ui/owner';
import { Page } from '../ui/page';
import { Empty } from '../ui/states';
import { Time } from '../ui/time';
import { Written } from '../ui/written';
import { isolated } from '../ui/isolated';

type Key = ItemOf<'/v1/keys'>;

export function KeysPage() {
  const [secret, setSecret] = useState<CreatedKey>();
  const may = useMay('keys');
  return (
    <Page
      title="API keys"
      subtitle="Programs and assistants call agents with a key. A cap bounds what a key can spend; limits bound how many requests it makes in a minute."
      actions={may && <NewKey onCreated={setSecret} />}
    >
      {secret && (
        <NewSecret
          secret={secret.key}
          title="Copy this key now"
          what="key"
          snippet={keySnippet(secret.key, secret.scopes, location.origin)}
        />
      )}
      {may ? <KeyTable onRotated={setSecret} /> : <NotPermitted needs="keys" />}
      {may && <Applications />}
      <Mandates />
    </Page>
  );
}

function KeyTable({ onRotated }: { onRotated: (key: CreatedKey) => void }) {
  const query = useInfiniteQuery(list('/v1/keys', { query: { limit: 50 } }));
  return (
    <ListTable<Key>
      label="API keys"
      query={query}
      keyOf={({ key_id: id }) => id}
      empty={<Empty title="No keys yet">Create one for each program, so that you can revoke it alone.</Empty>}
      columns={[
        { title: 'Name', cell: (key) => <KeyName apiKey={key} /> },
        {
          title: 'May',
          cell: (key) => (
            <Stack gap={0}>
              <Small text={scopeWords(key.scopes)} />
              <KeyLimits of={key} />
            </Stack>
          ),
        },
        {
          title: 'Spent',
          right: true,
          cell: (key) => <SpendOf of={key} />,
        },
        { title: 'This minute', right: true, cell: (key) => <Rates apiKey={key} /> },
        {
          title: 'Last used',
          cell: (key) => (key.last_used_at ? <Time at={key.last_used_at} ago /> : 'Never'),
        },
        { title: 'Expires', cell: (key) => (key.expires_at ? <Time at={key.expires_at} /> : 'Never') },
        { title: '', right: true, cell: (key) => <KeyActions apiKey={key} onRotated={onRotated} /> },
      ]}
    />
  );
}

function KeyName({ apiKey }: { apiKey: Key }) {
  return (
    <Stack gap={0}>
      <AppLink to="/calls" search={{ key: apiKey.key_id }} fw={600}>
        <Written>{apiKey.name}</Written>
      </AppLink>
      <Text fz="xs" c="dimmed" ff="monospace">
        {apiKey.key_hint}
      </Text>
    </Stack>
  );
}

function KeyActions({ apiKey, onRotated }: { apiKey: Key; onRotated: (key: CreatedKey) => void }) {
  const { key_id: id, name } = apiKey;
  const path = { key_id: id } as never;
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <ChangeKey
        key={`${name} ${apiKey.credit_cap} ${apiKey.credit_cap_window} ${apiKey.min_trust_score} ${apiKey.agents?.join()}`}
        apiKey={apiKey}
      />
      <Ask
        action="Rotate"
        question={`The key "${isolated(name)}" gets a new secret. The old one works for another hour.`}
        done="The key has a new secret."
        run={async () =>
          onRotated(await send('post', '/v1/keys/{key_id}/rotate', { path, body: { grace_seconds: 3600 } }))
        }
      />
      <Ask
        action="Revoke"
        danger
        question={`Programs that use the key "${isolated(name)}" are refused from now on.`}
        done="The key is revoked."
        run={() => send('delete', '/v1/keys/{key_id}', { path })}
      />
    </Group>
  );
}
