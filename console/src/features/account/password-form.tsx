import { Button, Checkbox, PasswordInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { Failure, problemOf } from '../../ui/states';

const EMPTY = { old_password: '', new_password: '', end_keys: false, end_grants: false };

/** Changes the password, and asks what else ends with the old one. `keys`, `grants`: how many are in use. */
export function PasswordForm({ keys, grants }: { keys: number; grants: number }) {
  const queries = useQueryClient();
  const [values, setValues] = useState(EMPTY);
  const set = (change: Partial<typeof EMPTY>) => setValues((before) => ({ ...before, ...change }));
  const change = useMutation({
    mutationFn: () => send('post', '/v1/auth/password', { body: values }),
    onSuccess: () => {
      const left = [values.end_keys ? 0 : keys, values.end_grants ? 0 : grants];
      const stays = `API keys that still work: ${left[0]}. OAuth grants that still work: ${left[1]}.`;
      notifications.show({ message: `The password is changed. ${stays}`, color: 'green' });
      setValues(EMPTY);
      return queries.invalidateQueries();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Stack maw={440}>
        <PasswordInput
          label="Old password"
          value={values.old_password}
          onChange={(event) => set({ old_password: event.currentTarget.value })}
          autoComplete="current-password"
          required
        />
        <PasswordInput
          label="New password"
          description="At least 8 characters, and not a common one"
          value={values.new_password}
          onChange={(event) => set({ new_password: event.currentTarget.value })}
          error={problemOf(change.error, 'new_password')}
          autoComplete="new-password"
          required
        />
        <Text fz="sm">
          All other sessions end, and so do mails that reset the password and logins of devices that wait.
        </Text>
        <Checkbox
          label={`Also end all API keys (${keys})`}
          checked={values.end_keys}
          onChange={(event) => set({ end_keys: event.currentTarget.checked })}
        />
        <Checkbox
          label={`Also end all OAuth grants (${grants})`}
          checked={values.end_grants}
          onChange={(event) => set({ end_grants: event.currentTarget.checked })}
        />
        {change.isError && <Failure error={change.error} />}
        <Button type="submit" loading={change.isPending}>
          Change the password
        </Button>
      </Stack>
    </form>
  );
}
