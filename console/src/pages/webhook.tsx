import { Card, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { send } from '../client/http';
import { get, list, type ItemOf } from '../client/queries';
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

type Delivery = ItemOf<'/v1/webhooks/{webhook_id}/deliveries'>;

/** One webhook with its deliveries and each of their attempts. */
export function WebhookPage() {
  const id = useParam('webhookId');
  const path = { webhook_id: id };
  const query = useQuery(get('/v1/webhooks/{webhook_id}', { path }));
  const deliveries = useInfiniteQuery({
    ...list('/v1/webhooks/{webhook_id}/deliveries', { path, query: { limit: 25 } }),
    refetchInterval: 5_000,
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
        <Ask
          action="Send a test"
          question="An event of the type webhook.test is sent to the address."
          done="The test is on its way."
          run={() => send('post', '/v1/webhooks/{webhook_id}/test', { path })}
        />
      }
    >
      <QueryView query={query}>
        {(webhook) => (
          <Card withBorder>
            <Facts
              rows={[
                ['Address', webhook.url],
                ['Events', webhook.types.join(', ')],
                ['Enabled', webhook.enabled ? 'Yes' : `No (${webhook.disabled_reason})`],
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
