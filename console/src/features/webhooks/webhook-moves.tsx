import { useNavigate } from '@tanstack/react-router';
import { send, type Answer } from '../../client/http';
import { Ask } from '../../ui/ask';
import { WebhookForm } from './webhook-form';

type Webhook = Answer<'/v1/webhooks/{webhook_id}', 'get'>;

interface MovesProps {
  webhook: Webhook;
  onSecret: (secret: string) => void;
}

/** Editing, disabling and deleting a webhook, and rotating its secret. */
export function WebhookMoves({ webhook: { webhook_id: id, enabled, url, types }, onSecret }: MovesProps) {
  const navigate = useNavigate();
  const path = { webhook_id: id };
  return (
    <>
      <WebhookForm
        key={`${url} ${types.join(' ')}`}
        open="Edit"
        title="Edit the webhook"
        action="Save"
        begin={{ url, types }}
        save={(body) => send('patch', '/v1/webhooks/{webhook_id}', { path, body })}
        variant="default"
        size="xs"
      />
      <Ask
        action="Rotate the secret"
        question="Deliveries are signed by the new secret, and for a day by the old one, too. The new one is shown once."
        done="The webhook has a new secret."
        run={async () =>
          onSecret((await send('post', '/v1/webhooks/{webhook_id}/rotate-secret', { path, body: {} })).secret)
        }
      />
      <Ask
        action="Delete"
        danger
        question="The address receives no more events. Its deliveries are deleted."
        done="The webhook is deleted."
        run={async () => {
          await send('delete', '/v1/webhooks/{webhook_id}', { path });
          await navigate({ to: '/webhooks' });
        }}
      />
      <Ask
        action={enabled ? 'Disable' : 'Enable'}
        question={enabled ? 'Events are no longer delivered.' : 'Events are delivered from now on.'}
        done={enabled ? 'The webhook is disabled.' : 'The webhook is enabled.'}
        run={() => send('patch', '/v1/webhooks/{webhook_id}', { path, body: { enabled: !enabled } })}
      />
    </>
  );
}
