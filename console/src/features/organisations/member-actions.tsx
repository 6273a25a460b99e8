import { Group, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../../client/http';
import type { MemberRole } from '../../client/owner';
import { chooseOwner, sessionQuery } from '../../client/session';
import { Ask } from '../../ui/ask';
import { isolated } from '../../ui/isolated';
import { ChangeBudget, type Member } from './member-budget';
import { may, rolesFor, type Organisation } from './organisation';

interface MemberProps {
  org: Organisation;
  member: Member;
}

/** What the reader may do with a member: with the own membership, with another's, and with the budget. */
export function MemberActions({ org, member }: MemberProps) {
  const self = useQuery(sessionQuery).data?.user_id;
  const isSelf = member.user_id === self;
  // Only owners decide about owners, and about their own budget.
  const maySetBudget = may(org, 'limits') && (!isSelf || may(org, 'own'));
  const mayChange = may(org, 'members') && (member.role !== 'owner' || may(org, 'own'));
  return (
    <Group gap={6} justify="flex-end">
      {maySetBudget && <ChangeBudget key={JSON.stringify(member.budget)} org={org} member={member} />}
      {isSelf && <Leave org={org} member={member} />}
      {!isSelf && mayChange && <Changes org={org} member={member} />}
    </Group>
  );
}

/** What owners and admins do with another member. */
function Changes({ org, member }: MemberProps) {
  return (
    <>
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
    </>
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
