import { Group, SegmentedControl, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../../client/http';
import { list, SELDOM, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { ClearFilters } from '../../ui/filter-chips';
import { useChangeSearch, useSearchValue } from '../../ui/params';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { DeliveryDetail } from './delivery-detail';

type Delivery = ItemOf<'/v1/webhooks/{webhook_id}/deliveries'>;
type State = Delivery['status'];

const STATES: readonly { value: 'all' | State; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
  { value: 'gone', label: 'Gone' },
];

/** How often a delivery that has not ended is read again; new ones are announced by the stream of events. */
const PENDING_MS = 2_000;

/** The deliveries of a webhook by their state, and how to send them again, one by one or all that failed. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const change = useChangeSearch();
  const asked = useSearchValue('state');
  const state = STATES.find(({ value }) => value === asked)?.value ?? 'all';
  const path = { webhook_id: webhookId };
  const query = { limit: 25, ...(state !== 'all' && { status: state }) };
  const deliveries = useInfiniteQuery({
    ...list('/v1/webhooks/{webhook_id}/deliveries', { path, query }),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ status }) => status === 'pending'))
        ? PENDING_MS
        : SELDOM.refetchInterval,
  });
  const resend = ({ delivery_id: id }: Delivery) =>
    send('post', '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
      path: { ...path, delivery_id: id },
    });
  const failed = (deliveries.data?.pages ?? []).flatMap(({ items }) =>
    items.filter(({ status }) => status === 'failed'),
  );
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SegmentedControl
          aria-label="State of the deliveries"
          size="xs"
          value={state}
          onChange={(value) => change({ state: value === 'all' ? null : value })}
          data={[...STATES]}
        />
        {failed.length > 1 && <ResendAll failed={failed} resend={resend} />}
      </Group>
      <ListTable<Delivery>
        label="Deliveries"
        query={deliveries}
        keyOf={({ delivery_id: id }) => id}
        empty={
          state === 'all' ? (
            <Empty title="No deliveries yet">Send a test to see one.</Empty>
          ) : (
            <Empty title="No delivery matches" action={<ClearFilters fields={['state']} />}>
              No delivery of this webhook is {state}.
            </Empty>
          )
        }
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
                run={() => resend(one)}
              />
            ),
          },
        ]}
      />
    </Stack>
  );
}

/** Sends the failed deliveries of the list again, the oldest first, so that their order stays. */
function ResendAll({
  failed,
  resend,
}: {
  failed: readonly Delivery[];
  resend: (one: Delivery) => Promise<unknown>;
}) {
  return (
    <Ask
      size="xs"
      variant="default"
      action={`Resend ${failed.length} that failed`}
      question="The failed deliveries that are listed are sent again, the oldest first, each with the whole schedule."
      done="The events are on their way."
      run={async () => {
        for (const one of failed.toReversed()) await resend(one);
      }}
    />
  );
}
