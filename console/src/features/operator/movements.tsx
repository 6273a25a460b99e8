import { useInfiniteQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { DataTable, ListTable, type Column } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { formatCode } from '../../ui/format';
import { Id } from '../../ui/id';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import { MOVEMENTS_CSV } from './list-files';

type AccountMovement = ItemOf<'/v1/operator/accounts/{user_id}/movements'>;
type CallMovement = Answer<'/v1/operator/calls/{invocation_id}', 'get'>['movements'][number];

/** The columns that movements of calls and of accounts share. */
function columns<T extends AccountMovement | CallMovement>(): Column<T>[] {
  return [
    { title: 'Time', cell: (one) => <Time at={one.created_at} /> },
    { title: 'Account', cell: (one) => formatCode(one.account) },
    { title: 'Movement', cell: (one) => formatCode(one.entry_type) },
    { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} signed unit={false} /> },
  ];
}

/** Both sides of every movement of one call, oldest first. */
export function CallMovements({ movements }: { movements: CallMovement[] }) {
  if (movements.length === 0) return <Empty title="No money moved">The call ended before its hold.</Empty>;
  return (
    <DataTable<CallMovement>
      label="Movements"
      rows={movements}
      keyOf={(one) => `${one.transaction_id}${one.account}${one.user_id}${one.credits}`}
      columns={[
        ...columns<CallMovement>(),
        {
          title: 'Of',
          cell: (one) =>
            one.user_id === null ? (
              'The marketplace'
            ) : (
              <AppLink to={`/operator/accounts/${one.user_id}`}>Account</AppLink>
            ),
        },
        { title: 'Transaction', cell: (one) => <Id value={one.transaction_id} /> },
      ]}
    />
  );
}

/** Every movement of an account, newest first. */
export function AccountMovements({ userId }: { userId: string }) {
  const query = useInfiniteQuery(
    list('/v1/operator/accounts/{user_id}/movements', { path: { user_id: userId }, query: { limit: 25 } }),
  );
  return (
    <ListTable<AccountMovement>
      above={
        <ExportButton
          path="/v1/operator/accounts/{user_id}/movements"
          input={{ path: { user_id: userId } }}
          name="movements"
          columns={MOVEMENTS_CSV}
        />
      }
      label="Movements"
      query={query}
      keyOf={(one) => `${one.transaction_id}${one.account}${one.balance_after_credits}`}
      empty={<Empty title="No money has moved yet" />}
      columns={[
        ...columns<AccountMovement>(),
        {
          title: 'Afterwards',
          right: true,
          cell: (one) => <Credits value={one.balance_after_credits} unit={false} />,
        },
        {
          title: 'What',
          cell: ({ invocation_id: call, description }) =>
            call === null ? (
              <Written>{description}</Written>
            ) : (
              <AppLink to={`/operator/calls/${call}`}>
                <Written>{description}</Written>
              </AppLink>
            ),
        },
      ]}
    />
  );
}
