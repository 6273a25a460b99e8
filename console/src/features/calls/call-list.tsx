import { useInfiniteQuery } from '@tanstack/react-query';
import { list, SELDOM, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { formatDuration, formatSurface } from '../../ui/format';
import { AppLink, LinkButton } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { CallFilters, useCallFilters } from './call-filters';

type Call = ItemOf<'/v1/invocations'>;
/** The calls of the account, newest first, by agent, state, key and time. The stream of events adds new ones. */
export function CallList() {
  const { chosen, filter } = useCallFilters();
  const query = useInfiniteQuery({
    ...list('/v1/invocations', { query: { ...filter, limit: 25 } }),
    ...SELDOM,
  });
  return (
    <>
      <CallFilters chosen={chosen} />
      <ListTable<Call>
        label="Calls"
        query={query}
        keyOf={({ invocation_id: id }) => id}
        empty={
          <Empty title="No calls" action={<LinkButton to="/">Find an agent</LinkButton>}>
            Calls appear here as soon as they are accepted.
          </Empty>
        }
        columns={[
          {
            title: 'Accepted',
            cell: (call) => (
              <AppLink to={`/calls/${call.invocation_id}`}>
                <Time at={call.invoked_at} />
              </AppLink>
            ),
          },
          { title: 'Agent', cell: (call) => <span className="anywhere">{call.agent_id}</span> },
          { title: 'State', cell: (call) => <Status value={call.status} /> },
          { title: 'By', cell: (call) => formatSurface(call.surface) },
          {
            title: 'Duration',
            right: true,
            cell: (call) => (call.settled_at ? formatDuration(call.usage.duration_ms) : '–'),
          },
          { title: 'Charged', right: true, cell: (call) => <Credits value={call.usage.credits_charged} /> },
        ]}
      />
    </>
  );
}
