import { Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { get } from '../client/queries';
import { NewSecret } from '../features/keys/new-secret';
import { Deliveries } from '../features/webhooks/deliveries';
import { WebhookMoves } from '../features/webhooks/webhook-moves';
import { Ask } from '../ui/ask';
import { Id } from '../ui/id';
import { Permitted } from '../ui/owner';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Time } from '../ui/time';

const DISABLED = { owner: 'you disabled it', gone: 'the address answered 410 Gone' } as const;

/** One webhook with its deliveries and each of their attempts. */
export function WebhookPage() {
  const id = useParam('webhookId');
  const path = { webhook_id: id };
  const [secret, setSecret] = useState<string>();
  const query = useQuery(get('/v1/webhooks/{webhook_id}', { path }));
  return (
    <Page
      title="Webhook"
      back={{ to: '/webhooks', label: 'Webhooks' }}
      subtitle={<Id value={id} short={false} />}
      actions={
        <Permitted needs="webhooks">
          {query.data && <WebhookMoves webhook={query.data} onSecret={setSecret} />}
          <Ask
            action="Send a test"
            question="An event of the type webhook.test is sent to the address."
            done="The test is on its way."
            run={() => send('post', '/v1/webhooks/{webhook_id}/test', { path })}
          />
        </Permitted>
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
        <Deliveries webhookId={id} />
      </Section>
    </Page>
  );
}
