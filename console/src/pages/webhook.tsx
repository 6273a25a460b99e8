import { Card } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { get, list, SELDOM, type ItemOf } from '../client/queries';
import { NewSecret } from '../features/keys/new-secret';
import { DeliveryDetail } from '../features/webhooks/delivery-detail';
import { WebhookMoves } from '../features/webhooks/webhook-moves';
import { Ask } from '../ui/ask';
import { ListTable } from '../ui/data-table';
import { Id } from '../ui/id';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Delivery = ItemOf<'/v1/webhooks/{webhook_id}/deliveries'>;

/** How often a delivery that has not ended is read again; new ones are announced by the stream of events. */
const PENDING_MS = 2_000;

const DISABLED = { owner: 'you disabled it', gone: 'the address answered 410 Gone' } as const;

/** One webhook with its deliveries and each of their attempts. */
export function WebhookPage() {
  const id = useParam('webhookId');
  const path = { webhook_id: id };
  const [secret, setSecret] = useState<string>();
  const query = useQuery(get('/v1/webhooks/{webhook_id}', { path }));
  const deliveries = useInfiniteQuery({
    ...list('/v1/webhooks/{webhook_id}/deliveries', { path, query: { limit: 25 } }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ status }) => status === 'pending'))
        ? PENDING_MS
        : SELDOM.refetchInterval,
  });
  const resend = (one: Delivery) => () =>
    send('post', '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
      path: { ...path, delivery_id: one.delivery_id },
    });
  return (
    <Page
      title="Webhook"
      back={{ to: '/webhooks', label: 'Webhooks' }}
      subtitle={<Id value={id} short={false} />}
      actions={
        <>
          {query.data && <WebhookMoves webhook={query.data} onSecret={setSecret} />}
          <Ask
            action="Send a test"
            question="An event of the type webhook.test is sent to the address."
            done="The test is on its way."
            run={() => send('post', '/v1/webhooks/{webhook_id}/test', { path })}
          />
        </>
      }
    >
      {secret && <NewSecret secret={secret} title="Copy this signing secret now" what="signing secret" />}
      <QueryView query={query}>
        {(webhook) => (
          <Card withBorder>
            <Facts
              rows={[
                ['Address', webhook.url],
                ['Events', webhook.types.join(', ')],
                webhook.public_key !== null && [
                  'Public key',
                  <Id key="k" value={webhook.public_key} short={false} />,
                ],
                webhook.previous_secret_expires_at !== null && [
                  'The previous secret signs, too, until',
                  <Time key="p" at={webhook.previous_secret_expires_at} />,
                ],
                ['Enabled', webhook.enabled ? 'Yes' : `No: ${DISABLED[webhook.disabled_reason ?? 'owner']}`],
              ]}
            />
          </Card>
        )}
      </QueryView>
      <Section title="Deliveries">
        <ListTable<Delivery>
          label="Deliveries"
          query={deliveries}
          keyOf={({ delivery_id: one }) => one}
          empty={<Empty title="No deliveries yet">Send a test to see one.</Empty>}
          columns={[
            { title: 'Created', cell: (one) => <Time at={one.created_at} /> },
            { title: 'Event', cell: (one) => one.body.type },
            { title: 'State', cell: (one) => <Status value={one.status} /> },
            { title: 'Attempts', cell: (one) => <DeliveryDetail delivery={one} /> },
            {
              title: '',
              right: true,
              cell: (one) => (
                <Ask
                  action="Resend"
                  question="The event is delivered again, at once and with the whole schedule."
                  done="The event is on its way."
                  run={resend(one)}
                />
              ),
            },
          ]}
        />
      </Section>
    </Page>
  );
}
