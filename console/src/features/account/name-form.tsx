import { Button, Group, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { sessionQuery, type Profile } from '../../client/session';
import { Failure, problemOf } from '../../ui/states';

/** Changes the name that buyers and the header show. */
export function NameForm({ profile }: { profile: Profile }) {
  const queries = useQueryClient();
  const [name, setName] = useState(profile.displayName);
  const change = useMutation({
    mutationFn: () => send('patch', '/v1/auth/me', { body: { displayName: name } }),
    onSuccess: (changed) => {
      queries.setQueryData(sessionQuery.queryKey, { ...profile, ...changed });
      notifications.show({ message: 'Your name is changed.', color: 'green' });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemOf(change.error, 'displayName')}
          autoComplete="name"
          maxLength={80}
          required
          className="grow"
          maw={440}
        />
        <Button
          type="submit"
          variant="default"
          loading={change.isPending}
          disabled={name === profile.displayName}
        >
          Change the name
        </Button>
      </Group>
      {change.isError && <Failure error={change.error} fields={['displayName']} />}
    </form>
  );
}
