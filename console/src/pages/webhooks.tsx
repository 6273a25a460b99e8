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

/** Exhaustive: the types of the API decide which events there are. */
const EVENTS: Record<ItemOf<'/v1/webhooks'>['types'][number], true> = {
  'invocation.succeeded': true,
  'invocation.failed': true,
  'dispute.opened': true,
  'dispute.resolved': true,
  'credits.loaded': true,
  'rubric.announced': true,
  'trust_score.updated': true,
  'agent.verification_completed': true,
  'agent.delisted': true,
  'agent.relisted': true,
  'finding.waived': true,
  'finding.contest_refused': true,
  'finding.waiver_ended': true,
  'bond.slashed': true,
  'slash.finalized': true,
  'slash.overturned': true,
  'payout.initiated': true,
  'payout.completed': true,
  'payout.failed': true,
};
const TYPES = Object.keys(EVENTS) as (keyof typeof EVENTS)[];

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
  const [types, setTypes] = useState<(keyof typeof EVENTS)[]>(['invocation.succeeded', 'invocation.failed']);
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
          onChange={(chosen) => setTypes(chosen as typeof types)}
          error={problemOf(mutation.error, 'types')}
        />
      </FormModal>
    </>
  );
}
