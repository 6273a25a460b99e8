import { Button, NumberInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { FormModal } from '../../ui/form-modal';
import { formatCredits } from '../../ui/format';
import { isolated } from '../../ui/isolated';
import { problemOf } from '../../ui/states';

/** Changes the name and the cap of a key. */
export function ChangeKey({ apiKey }: { apiKey: ItemOf<'/v1/keys'> }) {
  const { key_id: id, spent_credits: spent } = apiKey;
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [name, setName] = useState(apiKey.name);
  const [cap, setCap] = useState<number | string>(apiKey.credit_cap ?? '');
  const mutation = useMutation({
    mutationFn: () =>
      send('patch', '/v1/keys/{key_id}', {
        path: { key_id: id },
        body: { name, credit_cap: cap === '' ? null : Number(cap) },
      }),
    onSuccess: () => {
      close();
      return queries.invalidateQueries({ queryKey: ['/v1/keys'] });
    },
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Change
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title={`Change "${isolated(apiKey.name)}"`}
        action="Save"
        mutation={mutation}
        fields={['name', 'credit_cap']}
      >
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemOf(mutation.error, 'name')}
          maxLength={80}
          required
          data-autofocus
        />
        <NumberInput
          label="Credit cap"
          description={`The most that the key can spend in its life; it has spent ${formatCredits(spent)}. Empty: no cap.`}
          value={cap}
          onChange={setCap}
          error={problemOf(mutation.error, 'credit_cap')}
          min={0}
          allowDecimal={false}
          hideControls
        />
      </FormModal>
    </>
  );
}
