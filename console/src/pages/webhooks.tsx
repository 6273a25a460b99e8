import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { list, type ItemOf } from '../client/queries';
import { NewSecret } from '../features/keys/new-secret';
import { WebhookForm } from '../features/webhooks/webhook-form';
import { ListTable } from '../ui/data-table';
import { AppLink } from '../ui/link';
import { Permitted } from '../ui/owner';
import { Page } from '../ui/page';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

export function WebhooksPage() {
  const [secret, setSecret] = useState<string>();
  const query = useInfiniteQuery(list('/v1/webhooks', { query: { limit: 50 } }));
  return (
    <Page
      title="Webhooks"
      subtitle="Signed events to an address of yours, by the Standard Webhooks convention."
      actions={
        <Permitted needs="webhooks">
          <WebhookForm
            open="Add a webhook"
            title="Add a webhook"
            action="Add the webhook"
            begin={{ url: 'https://', types: ['invocation.succeeded', 'invocation.failed'] }}
            save={(body) => send('post', '/v1/webhooks', { body })}
            onSaved={(created) => setSecret(created.secret)}
          />
        </Permitted>
      }
    >
      {secret && <NewSecret secret={secret} title="Copy this signing secret now" what="signing secret" />}
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
