import { Button, PasswordInput, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { chooseOwner } from '../../client/session';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';

const EMPTY = { name: '', password: '' };

/** Turns the account of the person into an organisation, whose first owner is a new account of the person. */
export function Convert() {
  const [opened, { open, close }] = useDisclosure();
  const [values, setValues] = useState(EMPTY);
  const set = (change: Partial<typeof EMPTY>) => setValues((before) => ({ ...before, ...change }));
  const mutation = useMutation({
    mutationFn: async () => {
      const { organisation } = await send('post', '/v1/organisations/convert', { body: values });
      await chooseOwner(organisation.org_id);
      return organisation;
    },
    onSuccess: ({ name }) => {
      setValues(EMPTY);
      close();
      notifications.show({ message: `Your account is the organisation ${name} now.`, color: 'green' });
    },
  });
  return (
    <>
      <Button variant="default" onClick={open}>
        Turn your account into one
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Turn your account into an organisation"
        action="Turn it into an organisation"
        danger
        mutation={mutation}
        fields={['name', 'password']}
      >
        <Text fz="sm">
          Credits, keys, agents, earnings and history become those of the organisation; ids and keys stay as
          they are. You get a new account with your address, password, authenticator app and sessions, which
          is its first owner. This cannot be taken back.
        </Text>
        <TextInput
          label="Name of the organisation"
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={problemOf(mutation.error, 'name')}
          autoComplete="organization"
          maxLength={80}
          required
          data-autofocus
        />
        <PasswordInput
          label="Your password"
          value={values.password}
          onChange={(event) => set({ password: event.currentTarget.value })}
          error={problemOf(mutation.error, 'password')}
          autoComplete="current-password"
          required
        />
      </FormModal>
    </>
  );
}
