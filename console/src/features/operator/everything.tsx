import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { formatCode } from '../../ui/format';
import { Id } from '../../ui/id';
import { AppLink } from '../../ui/link';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { BadgePill } from '../../ui/trust';
import { reasonText } from '../calls/dispute-reasons';
import { ACCOUNTS_CSV, AGENTS_CSV, DISPUTES_CSV } from './list-files';

type AccountQuery = NonNullable<Input<'/v1/operator/accounts', 'get'>['query']>;

/** Accounts, newest first. */
export function AccountsTable({ query: filter }: { query: AccountQuery }) {
  const query = useInfiniteQuery(list('/v1/operator/accounts', { query: { limit: 25, ...filter } }));
  return (
    <ListTable<ItemOf<'/v1/operator/accounts'>>
      above={
        <ExportButton
          path="/v1/operator/accounts"
          input={{ query: filter }}
          name="accounts"
          columns={ACCOUNTS_CSV}
        />
      }
      label="Accounts"
      query={query}
      keyOf={(one) => one.user_id}
      empty={<Empty title="No accounts">No account matches.</Empty>}
      columns={[
        {
          title: 'Name',
          cell: (one) => (
            <AppLink to={`/operator/accounts/${one.user_id}`}>
              <bdi className="anywhere">{one.display_name}</bdi>
            </AppLink>
          ),
        },
        {
          title: 'Address',
          cell: (one) => (
            <Text fz="sm" className="anywhere">
              {one.email}
            </Text>
          ),
        },
        { title: 'Role', cell: (one) => formatCode(one.role) },
        { title: 'Address confirmed', cell: (one) => (one.email_confirmed ? 'Yes' : 'No') },
        { title: 'Wallet', cell: (one) => (one.wallet_frozen ? <Status value="frozen" /> : 'Open') },
        { title: 'Signed up', cell: (one) => <Time at={one.created_at} /> },
      ]}
    />
  );
}

type AgentQuery = NonNullable<Input<'/v1/operator/agents', 'get'>['query']>;

/** Agents in any state, by their ids. */
export function AgentsTable({ query: filter }: { query: AgentQuery }) {
  const query = useInfiniteQuery(list('/v1/operator/agents', { query: { limit: 25, ...filter } }));
  return (
    <ListTable<ItemOf<'/v1/operator/agents'>>
      above={
        <ExportButton
          path="/v1/operator/agents"
          input={{ query: filter }}
          name="agents"
          columns={AGENTS_CSV}
        />
      }
      label="Agents"
      query={query}
      keyOf={(one) => one.agent_id}
      empty={<Empty title="No agents">No agent matches.</Empty>}
      columns={[
        {
          title: 'Agent',
          cell: (one) => <AppLink to={`/operator/agents/${one.agent_id}`}>{one.agent_id}</AppLink>,
        },
        { title: 'Name', cell: (one) => <bdi className="anywhere">{one.display_name ?? '–'}</bdi> },
        { title: 'State', cell: (one) => <Status value={one.status} /> },
        { title: 'In search', cell: (one) => (one.listed ? 'Yes' : 'No') },
        { title: 'Score', right: true, cell: (one) => one.trust_score ?? '–' },
        { title: 'Badge', cell: (one) => <BadgePill badge={one.badge} /> },
        {
          title: 'Developer',
          cell: (one) => <AppLink to={`/operator/accounts/${one.developer_user_id}`}>Account</AppLink>,
        },
      ]}
    />
  );
}

type DisputeQuery = NonNullable<Input<'/v1/operator/disputes', 'get'>['query']>;

/** Disputes, newest first. */
export function DisputesTable({ query: filter }: { query: DisputeQuery }) {
  const query = useInfiniteQuery(list('/v1/operator/disputes', { query: { limit: 25, ...filter } }));
  return (
    <ListTable<ItemOf<'/v1/operator/disputes'>>
      above={
        <ExportButton
          path="/v1/operator/disputes"
          input={{ query: filter }}
          name="disputes"
          columns={DISPUTES_CSV}
        />
      }
      label="Disputes"
      query={query}
      keyOf={(one) => one.dispute_id}
      empty={<Empty title="No disputes" />}
      columns={[
        {
          title: 'Opened',
          cell: (one) => (
            <AppLink to={`/operator/disputes/${one.dispute_id}`}>
              <Time at={one.opened_at} />
            </AppLink>
          ),
        },
        { title: 'State', cell: (one) => <Status value={one.status} /> },
        { title: 'Reason', cell: (one) => reasonText(one.reason) },
        {
          title: 'Agent',
          cell: (one) => <AppLink to={`/operator/agents/${one.agent_id}`}>{one.agent_id}</AppLink>,
        },
        {
          title: 'Answer due',
          cell: (one) => (one.status === 'open' && one.respond_by ? <Time at={one.respond_by} ago /> : '–'),
        },
        { title: 'Id', cell: (one) => <Id value={one.dispute_id} /> },
      ]}
    />
  );
}
