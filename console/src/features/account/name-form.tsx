import { Button, Group, TextInput, type TextInputProps } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import type { Profile } from '../../client/session';
import { Failure, problemOf } from '../../ui/states';

/** Changes the name that buyers and the header show. */
export function NameForm({ profile }: { profile: Profile }) {
  return (
    <RenameForm
      label="Name"
      field="displayName"
      autoComplete="name"
      done="Your name is changed."
      before={profile.displayName}
      save={(name) => send('patch', '/v1/auth/me', { body: { displayName: name } })}
    />
  );
}

interface RenameFormProps extends Pick<TextInputProps, 'label' | 'autoComplete'> {
  before: string;
  /** The field of the request, whose problems are shown. */
  field: string;
  /** What is shown when it is done. */
  done: string;
  save: (name: string) => Promise<unknown>;
}

/** Changes the name of an account. */
export function RenameForm({ before, field, done, save, ...input }: RenameFormProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(before);
  const change = useMutation({
    mutationFn: () => save(name),
    onSuccess: () => {
      notifications.show({ message: done, color: 'green' });
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
      <Group align="flex-end" gap="xs">
        <TextInput
          {...input}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemOf(change.error, field)}
          maxLength={80}
          required
          className="grow"
          maw={440}
        />
        <Button type="submit" variant="default" loading={change.isPending} disabled={name === before}>
          Change the name
        </Button>
      </Group>
      {change.isError && <Failure error={change.error} fields={[field]} />}
    </form>
  );
}
