import { Card, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { send, type Answer } from '../client/http';
import { get, list, SELDOM, type ItemOf } from '../client/queries';
import { Ask } from '../ui/ask';
import { ListTable } from '../ui/data-table';
import { formatDuration } from '../ui/format';
import { Id } from '../ui/id';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Webhook = Answer<'/v1/webhooks/{webhook_id}', 'get'>;
type Delivery = ItemOf<'/v1/webhooks/{webhook_id}/deliveries'>;

/** How often a delivery that has not ended is read again; new ones are announced by the stream of events. */
const PENDING_MS = 2_000;

const DISABLED = { owner: 'you disabled it', gone: 'the address answered 410 Gone' } as const;

/** One webhook with its deliveries and each of their attempts. */
export function WebhookPage() {
  const id = useParam('webhookId');
  const path = { webhook_id: id };
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
          {query.data && <Switch webhook={query.data} />}
          <Ask
            action="Send a test"
            question="An event of the type webhook.test is sent to the address."
            done="The test is on its way."
            run={() => send('post', '/v1/webhooks/{webhook_id}/test', { path })}
          />
        </>
      }
    >
      <QueryView query={query}>
        {(webhook) => (
          <Card withBorder>
            <Facts
              rows={[
                ['Address', webhook.url],
                ['Events', webhook.types.join(', ')],
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
            { title: 'Attempts', cell: (one) => <Attempts delivery={one} /> },
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

function Switch({ webhook: { webhook_id: id, enabled } }: { webhook: Webhook }) {
  const navigate = useNavigate();
  const path = { webhook_id: id };
  return (
    <>
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

function Attempts({ delivery: { attempts } }: { delivery: Delivery }) {
  if (attempts.length === 0) return <>None yet</>;
  return (
    <Stack gap={0}>
      {attempts.slice(-3).map(({ attempt, status, error, duration_ms: ms }) => (
        <Text key={attempt} fz="xs" c="dimmed">
          {attempt}. {status ?? error}, {formatDuration(ms)}
        </Text>
      ))}
    </Stack>
  );
}
