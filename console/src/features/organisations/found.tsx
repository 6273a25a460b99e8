import { Button, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../../client/http';
import { chooseOwner } from '../../client/session';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';

/** Founds an organisation, and acts for it. */
export function Found() {
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure();
  const [name, setName] = useState('');
  const mutation = useMutation({
    mutationFn: async () => {
      const { org_id: id } = await send('post', '/v1/organisations', { body: { name } });
      await chooseOwner(id);
      return id;
    },
    onSuccess: (id) => navigate({ to: `/organisations/${id}` }),
  });
  return (
    <>
      <Button onClick={open}>Found an organisation</Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Found an organisation"
        action="Found it"
        mutation={mutation}
        fields={['name']}
      >
        <Text fz="sm">
          It has a wallet, keys, agents and payouts of its own. You are its first owner, and invite the
          others.
        </Text>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemOf(mutation.error, 'name')}
          autoComplete="organization"
          maxLength={80}
          required
          data-autofocus
        />
      </FormModal>
    </>
  );
}
