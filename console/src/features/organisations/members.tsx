import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { formatCode } from '../../ui/format';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { MemberActions } from './member-actions';
import { BudgetOf, type Member } from './member-budget';
import type { Organisation } from './organisation';

/** Who acts for the organisation, with the changes that the reader's role permits. */
export function Members({ org }: { org: Organisation }) {
  const path = { org_id: org.org_id };
  const query = useInfiniteQuery(list('/v1/organisations/{org_id}/members', { path, query: { limit: 50 } }));
  return (
    <ListTable<Member>
      label="Members"
      query={query}
      keyOf={({ user_id: id }) => id}
      empty={<Empty title="No members" />}
      columns={[
        {
          title: 'Name',
          cell: ({ name, email }) => (
            <>
              <Text fz="sm" fw={600} dir="auto">
                {name}
              </Text>
              <Text fz="xs" c="dimmed" className="anywhere">
                {email}
              </Text>
            </>
          ),
        },
        { title: 'Role', cell: ({ role }) => formatCode(role) },
        {
          title: 'Authenticator app',
          cell: ({ authenticator }) => (authenticator ? 'In use' : 'None'),
        },
        { title: 'Since', cell: ({ joined_at: at }) => <Time at={at} /> },
        { title: 'Budget', right: true, cell: ({ budget }) => <BudgetOf budget={budget} /> },
        { title: '', right: true, cell: (member) => <MemberActions org={org} member={member} /> },
      ]}
    />
  );
}
