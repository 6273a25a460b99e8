import { Group, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../../client/http';
import type { MemberRole } from '../../client/owner';
import { list, type ItemOf } from '../../client/queries';
import { chooseOwner, sessionQuery } from '../../client/session';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { formatCode } from '../../ui/format';
import { isolated } from '../../ui/isolated';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { may, rolesFor, type Organisation } from './organisation';

type Member = ItemOf<'/v1/organisations/{org_id}/members'>;

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
        { title: '', right: true, cell: (member) => <Actions org={org} member={member} /> },
      ]}
    />
  );
}

interface MemberProps {
  org: Organisation;
  member: Member;
}

function Actions({ org, member }: MemberProps) {
  const self = useQuery(sessionQuery).data?.user_id;
  if (member.user_id === self) return <Leave org={org} member={member} />;
  // Only owners decide about owners.
  const mayChange = may(org, 'members') && (member.role !== 'owner' || may(org, 'own'));
  if (!mayChange) return null;
  return (
    <Group gap={6} justify="flex-end">
      <ChangeRole key={member.role} org={org} member={member} />
      {may(org, 'own') && <HandOver org={org} member={member} />}
      <Ask
        action="Remove"
        danger
        question={`${isolated(member.name)} loses access with the next request, and the keys that ${isolated(member.name)} made for ${isolated(org.name)} end. Calls in progress end as usual.`}
        done={`${isolated(member.name)} is no member any more.`}
        run={() =>
          send('delete', '/v1/organisations/{org_id}/members/{user_id}', { path: pathOf({ org, member }) })
        }
      />
    </Group>
  );
}

const pathOf = ({ org, member }: MemberProps) => ({ org_id: org.org_id, user_id: member.user_id });

function ChangeRole({ org, member }: MemberProps) {
  const [role, setRole] = useState<MemberRole>(member.role);
  return (
    <Ask
      action="Change the role"
      question={`What ${isolated(member.name)} may do changes with the next request, also by keys.`}
      fields={
        <NativeSelect
          label="Role"
          data={rolesFor(org)}
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as MemberRole)}
        />
      }
      ready={role !== member.role}
      done="The role is changed."
      run={() =>
        send('patch', '/v1/organisations/{org_id}/members/{user_id}', {
          path: pathOf({ org, member }),
          body: { role },
        })
      }
    />
  );
}

function HandOver({ org, member }: MemberProps) {
  return (
    <Ask
      action="Hand over"
      question={`${isolated(member.name)} becomes the owner of ${isolated(org.name)} in your place, and you become an admin.`}
      done="The organisation is handed over."
      run={() =>
        send('post', '/v1/organisations/{org_id}/hand-over', {
          path: { org_id: org.org_id },
          body: { user_id: member.user_id },
        })
      }
    />
  );
}

/** Leaves the organisation, and acts for the own account from then on. */
function Leave({ org, member }: MemberProps) {
  const navigate = useNavigate();
  return (
    <Ask
      action="Leave"
      danger
      question={`You lose access to ${isolated(org.name)}, and the keys that you made for it end. One owner is always left.`}
      done={`You have left ${isolated(org.name)}.`}
      run={async () => {
        await send('delete', '/v1/organisations/{org_id}/members/{user_id}', {
          path: pathOf({ org, member }),
        });
        await chooseOwner(null);
        await navigate({ to: '/organisations' });
      }}
    />
  );
}
