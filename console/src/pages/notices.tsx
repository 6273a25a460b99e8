import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../client/http';
import { get, list, type ItemOf } from '../client/queries';
import { pageOfNotice } from '../features/shell/notice-page';
import { ListTable } from '../ui/data-table';
import { AppLink } from '../ui/link';
import { Page } from '../ui/page';
import { useChangeSearch, useSearchValue } from '../ui/params';
import { Empty, Failure } from '../ui/states';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Notice = ItemOf<'/v1/notices'>;

/** What the account should know, read and unread. */
export function NoticesPage() {
  const change = useChangeSearch();
  const isUnread = useSearchValue('show') === 'unread';
  const query = useInfiniteQuery(
    list('/v1/notices', { query: { limit: 25, ...(isUnread && { unread: 'true' as const }) } }),
  );
  const read = useRead();
  return (
    <Page
      title="Notices"
      subtitle="Decisions about your agents, disputes, payouts and your wallet."
      actions={
        <Button variant="default" size="xs" loading={read.isPending} onClick={() => read.mutate(undefined)}>
          Mark all as read
        </Button>
      }
    >
      <Group>
        <SegmentedControl
          aria-label="Which notices"
          size="xs"
          value={isUnread ? 'unread' : 'all'}
          onChange={(value) => change({ show: value === 'all' ? null : value })}
          data={[
            { value: 'all', label: 'All' },
            { value: 'unread', label: 'Unread' },
          ]}
        />
      </Group>
      {read.isError && <Failure error={read.error} />}
      <ListTable<Notice>
        label="Notices"
        query={query}
        keyOf={({ notice_id: id }) => id}
        empty={
          <Empty title={isUnread ? 'Nothing unread' : 'No notices yet'}>
            Decisions, disputes, payouts and changes of your agents appear here.
          </Empty>
        }
        columns={[
          { title: 'Time', cell: (one) => <Time at={one.created_at} /> },
          {
            title: 'Notice',
            cell: (one) => <Words notice={one} onOpen={() => read.mutate([one.notice_id])} />,
          },
          {
            title: 'State',
            cell: (one) => <Status value={one.read ? 'read' : 'unread'} />,
          },
          {
            title: '',
            right: true,
            cell: (one) =>
              !one.read && (
                <Button
                  variant="subtle"
                  size="compact-xs"
                  aria-label={`Mark as read: ${one.message}`}
                  onClick={() => read.mutate([one.notice_id])}
                >
                  Mark as read
                </Button>
              ),
          },
        ]}
      />
    </Page>
  );
}

function Words({ notice, onOpen }: { notice: Notice; onOpen: () => void }) {
  const to = pageOfNotice(notice);
  return (
    <Text fz="sm" fw={notice.read ? 400 : 600} className="anywhere" dir="auto">
      {to === undefined ? (
        notice.message
      ) : (
        <AppLink to={to} {...(!notice.read && { onClick: onOpen })}>
          {notice.message}
        </AppLink>
      )}
    </Text>
  );
}

/** Marks some notices as read, or all, and shows what is left. */
function useRead() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: string[] | undefined) =>
      send('post', '/v1/notices/read', { body: ids ? { notice_ids: ids } : {} }),
    onSuccess: (waiting) => {
      queries.setQueryData(get('/v1/notices/waiting').queryKey, waiting);
      return queries.invalidateQueries({ queryKey: ['/v1/notices'] });
    },
  });
}
