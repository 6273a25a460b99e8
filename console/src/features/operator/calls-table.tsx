import { useInfiniteQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { formatCode, formatDuration } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type CallQuery = NonNullable<Input<'/v1/operator/calls', 'get'>['query']>;

/** Calls of all accounts, of one or of an agent, newest first. */
export function CallsTable({ query: filter = {} }: { query?: CallQuery }) {
  const query = useInfiniteQuery(list('/v1/operator/calls', { query: { limit: 25, ...filter } }));
  return (
    <ListTable<ItemOf<'/v1/operator/calls'>>
      label="Calls"
      query={query}
      keyOf={(one) => one.invocation_id}
      empty={<Empty title="No calls">No call matches.</Empty>}
      columns={[
        {
          title: 'Accepted',
          cell: (one) => (
            <AppLink to={`/operator/calls/${one.invocation_id}`}>
              <Time at={one.invoked_at} />
            </AppLink>
          ),
        },
        { title: 'State', cell: (one) => <Status value={one.status} /> },
        { title: 'Because', cell: (one) => (one.error_code === null ? '–' : formatCode(one.error_code)) },
        {
          title: 'Agent',
          cell: (one) => <AppLink to={`/operator/agents/${one.agent_id}`}>{one.agent_id}</AppLink>,
        },
        {
          title: 'Buyer',
          cell: (one) => <AppLink to={`/operator/accounts/${one.buyer_user_id}`}>Account</AppLink>,
        },
        {
          title: 'Duration',
          right: true,
          cell: (one) => (one.duration_ms === null ? '–' : formatDuration(one.duration_ms)),
        },
        {
          title: 'Credits',
          right: true,
          cell: (one) => <Credits value={one.charged_credits} unit={false} />,
        },
      ]}
    />
  );
}
