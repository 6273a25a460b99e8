import { useInfiniteQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { formatCode, formatDuration } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type CallQuery = NonNullable<Input<'/v1/operator/calls', 'get'>['query']>;

type Call = ItemOf<'/v1/operator/calls'>;
const CSV = [
  { title: 'call', value: (one: Call) => one.invocation_id },
  { title: 'accepted', value: (one: Call) => one.invoked_at },
  { title: 'agent', value: (one: Call) => one.agent_id },
  { title: 'version', value: (one: Call) => one.version },
  { title: 'buyer', value: (one: Call) => one.buyer_user_id },
  { title: 'by', value: (one: Call) => one.surface },
  { title: 'state', value: (one: Call) => one.status },
  { title: 'error', value: (one: Call) => one.error_code },
  { title: 'duration_ms', value: (one: Call) => one.duration_ms },
  { title: 'credits', value: (one: Call) => one.charged_credits },
];

/** Calls of all accounts, of one or of an agent, newest first. */
export function CallsTable({ query: filter = {} }: { query?: CallQuery }) {
  const query = useInfiniteQuery(list('/v1/operator/calls', { query: { limit: 25, ...filter } }));
  return (
    <ListTable<ItemOf<'/v1/operator/calls'>>
      above={<ExportButton path="/v1/operator/calls" input={{ query: filter }} name="calls" columns={CSV} />}
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
