import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { Id } from '../../ui/id';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';

/** What operators and the service have done, and why; of one subject or of all. */
export function AuditLog({ subject }: { subject?: string }) {
  const query = useInfiniteQuery(
    list('/v1/operator/actions', { query: { limit: 25, ...(subject === undefined ? {} : { subject }) } }),
  );
  return (
    <ListTable<ItemOf<'/v1/operator/actions'>>
      label="Audit log"
      query={query}
      keyOf={({ action_id: id }) => id}
      empty={<Empty title="No entries yet">Each action of an operator appears here with its reason.</Empty>}
      columns={[
        { title: 'Time', cell: (one) => <Time at={one.created_at} /> },
        { title: 'Action', cell: (one) => <b>{one.action}</b> },
        ...(subject === undefined
          ? [{ title: 'Subject', cell: (one: { subject: string }) => <Id value={one.subject} /> }]
          : []),
        {
          title: 'By',
          cell: (one) => (one.operator_user_id ? <Id value={one.operator_user_id} /> : (one.run_by ?? '–')),
        },
        {
          title: 'Reason',
          cell: (one) => (
            <Text fz="sm" className="anywhere" dir="auto">
              {one.reason}
            </Text>
          ),
        },
      ]}
    />
  );
}
