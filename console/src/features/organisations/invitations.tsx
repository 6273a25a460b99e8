import { Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import type { MemberRole } from '../../client/owner';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { FormModal } from '../../ui/form-modal';
import { formatCode } from '../../ui/format';
import { Empty, problemOf } from '../../ui/states';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import { rolesFor, type Organisation } from './organisation';

const PATH = '/v1/organisations/{org_id}/invitations';

/** The invitations that wait for an answer. */
export function Invitations({ org }: { org: Organisation }) {
  const path = { org_id: org.org_id };
  const query = useInfiniteQuery(list(PATH, { path, query: { limit: 50 } }));
  return (
    <Stack gap="sm">
      <div>
        <Invite org={org} />
      </div>
      <ListTable<ItemOf<typeof PATH>>
        label="Invitations"
        query={query}
        keyOf={({ invitation_id: id }) => id}
        empty={
          <Empty title="No open invitations">
            The mail of an invitation has a link that works once, for seven days.
          </Empty>
        }
        columns={[
          { title: 'Address', cell: ({ email }) => <Written>{email}</Written> },
          { title: 'Role', cell: ({ role }) => formatCode(role) },
          { title: 'Sent', cell: ({ created_at: at }) => <Time at={at} /> },
          { title: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
          {
            title: '',
            right: true,
            cell: ({ invitation_id: id, email }) => (
              <Ask
                action="End"
                danger
                question={`The link in the mail to ${email} no longer works.`}
                done="The invitation has ended."
                run={() =>
                  send('delete', '/v1/organisations/{org_id}/invitations/{invitation_id}', {
                    path: { ...path, invitation_id: id },
                  })
                }
              />
            ),
          },
        ]}
      />
    </Stack>
  );
}

function Invite({ org }: { org: Organisation }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('buyer');
  const mutation = useMutation({
    mutationFn: () => send('post', PATH, { path: { org_id: org.org_id }, body: { email, role } }),
    onSuccess: () => {
      notifications.show({ message: `An invitation is on its way to ${email}.`, color: 'green' });
      setEmail('');
      close();
      return queries.invalidateQueries({ queryKey: [PATH] });
    },
  });
  return (
    <>
      <Button onClick={open}>Invite</Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Invite to the organisation"
        action="Send the invitation"
        mutation={mutation}
        fields={['email', 'role']}
      >
        <TextInput
          label="Email"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={problemOf(mutation.error, 'email')}
          required
          data-autofocus
        />
        <NativeSelect
          label="Role"
          data={rolesFor(org)}
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as MemberRole)}
          error={problemOf(mutation.error, 'role')}
        />
        <Text fz="sm" c="dimmed">
          The account with exactly this confirmed address can accept it.
        </Text>
      </FormModal>
    </>
  );
}
