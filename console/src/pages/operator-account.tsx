import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { AuditLog } from '../features/operator/audit-log';
import { CustomerFacts, CustomerKeys, CustomerPayouts } from '../features/operator/customer';
import { CustomerMoves } from '../features/operator/customer-moves';
import { CallsTable } from '../features/operator/calls-table';
import { AgentsTable, DisputesTable } from '../features/operator/everything';
import { SlashesTable } from '../features/operator/slashes-table';
import { AccountMovements } from '../features/operator/movements';
import { Id } from '../ui/id';
import { Page } from '../ui/page';
import { PageTabs } from '../ui/page-tabs';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';

/** An account as operators see it: who it is, what it has, and everything that belongs to it. */
export function OperatorAccountPage() {
  const id = useParam('userId');
  const query = useQuery(get('/v1/operator/accounts/{user_id}', { path: { user_id: id } }));
  const sells = typeof query.data?.developer_id === 'string';
  return (
    <Page
      title={query.data?.display_name ?? 'Account'}
      tab={query.data?.email}
      back={{ to: '/operator/accounts', label: 'Accounts' }}
      subtitle={<Id value={id} short={false} />}
      aside={query.data?.wallet_frozen === true && <Status value="frozen" />}
      actions={query.data && <CustomerMoves account={query.data} />}
    >
      <QueryView query={query}>{(account) => <CustomerFacts account={account} />}</QueryView>
      <PageTabs
        tabs={[
          { value: 'money', label: 'Money', content: <AccountMovements userId={id} /> },
          { value: 'calls', label: 'Calls', content: <CallsTable query={{ user_id: id }} /> },
          { value: 'disputes', label: 'Disputes', content: <DisputesTable query={{ user_id: id }} /> },
          { value: 'keys', label: 'API keys', content: <CustomerKeys userId={id} /> },
          ...(sells
            ? [
                {
                  value: 'agents',
                  label: 'Agents',
                  content: <AgentsTable query={{ developer_user_id: id }} />,
                },
                {
                  value: 'slashes',
                  label: 'Slashes',
                  content: <SlashesTable query={{ developer_user_id: id }} />,
                },
                { value: 'payouts', label: 'Payouts', content: <CustomerPayouts userId={id} /> },
              ]
            : []),
          { value: 'audit', label: 'What operators did', content: <AuditLog subject={id} /> },
        ]}
      />
    </Page>
  );
}
