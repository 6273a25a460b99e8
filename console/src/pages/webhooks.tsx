import { Button, MultiSelect, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { list, type ItemOf } from '../client/queries';
import { NewSecret } from '../features/keys/new-key';
import { ListTable } from '../ui/data-table';
import { FormModal } from '../ui/form-modal';
import { AppLink } from '../ui/link';
import { Page } from '../ui/page';
import { Empty, problemOf } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

const TYPES = [
  'invocation.succeeded',
  'invocation.failed',
  'dispute.opened',
  'dispute.resolved',
  'credits.loaded',
  'trust_score.updated',
  'agent.verification_completed',
  'agent.delisted',
  'agent.relisted',
  'bond.slashed',
  'slash.finalized',
  'slash.overturned',
  'payout.initiated',
  'payout.completed',
  'payout.failed',
];

export function WebhooksPage() {
  const [secret, setSecret] = useState<string>();
  const query = useInfiniteQuery(list('/v1/webhooks', { query: { limit: 50 } }));
  return (
    <Page
      title="Webhooks"
      subtitle="Signed events to an address of yours, by the Standard Webhooks convention."
      actions={<NewWebhook onCreated={setSecret} />}
    >
      {secret && <NewSecret secret={secret} what="signing secret" />}
      <ListTable<ItemOf<'/v1/webhooks'>>
        label="Webhooks"
        query={query}
        keyOf={({ webhook_id: id }) => id}
        empty={
          <Empty title="No webhooks yet">
            Your program hears of calls, disputes and payouts without asking.
          </Empty>
        }
        columns={[
          {
            title: 'Address',
            cell: (one) => (
              <AppLink to={`/webhooks/${one.webhook_id}`} className="anywhere">
                {one.url}
              </AppLink>
            ),
          },
          {
            title: 'Events',
            cell: (one) => (
              <Text fz="xs" c="dimmed">
                {one.types.join(', ')}
              </Text>
            ),
          },
          {
            title: 'State',
            cell: (one) => (
              <Status value={one.enabled ? 'active' : 'gone'} label={one.enabled ? 'Enabled' : 'Disabled'} />
            ),
          },
          { title: 'Created', cell: (one) => <Time at={one.created_at} /> },
        ]}
      />
    </Page>
  );
}

function NewWebhook({ onCreated }: { onCreated: (secret: string) => void }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [url, setUrl] = useState('https://');
  const [types, setTypes] = useState<string[]>(['invocation.succeeded', 'invocation.failed']);
  const mutation = useMutation({
    mutationFn: () => send('post', '/v1/webhooks', { body: { url, types } }),
    onSuccess: ({ secret }) => {
      onCreated(secret);
      close();
      return queries.invalidateQueries({ queryKey: ['/v1/webhooks'] });
    },
  });
  return (
    <>
      <Button onClick={open}>Add a webhook</Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Add a webhook"
        action="Add the webhook"
        mutation={mutation}
        disabled={types.length === 0}
      >
        <TextInput
          label="Address"
          description="HTTPS, and reachable from the internet"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={problemOf(mutation.error, 'url')}
          required
          data-autofocus
        />
        <MultiSelect
          label="Events"
          data={TYPES}
          value={types}
          onChange={setTypes}
          error={problemOf(mutation.error, 'types')}
        />
      </FormModal>
    </>
  );
}
