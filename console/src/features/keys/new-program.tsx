import { Button, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import { WINDOWS } from './windows';

export type CreatedProgram = Pick<
  Answer<'/v1/oauth/grants', 'post'>,
  'client_id' | 'client_secret' | 'agent_id'
>;

/** Registers a program that gets tokens for all agents of the market by a secret. */
export function NewProgram({ onCreated }: { onCreated: (program: CreatedProgram) => void }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [name, setName] = useState('');
  const [cap, setCap] = useState<number | string>(100);
  const [window, setWindow] = useState<string>('day');
  const mutation = useMutation({
    mutationFn: () =>
      send('post', '/v1/oauth/grants', {
        body: {
          name,
          credit_cap: cap === '' ? null : Number(cap),
          credit_cap_window: window as ItemOf<'/v1/oauth/grants'>['credit_cap_window'],
        },
      }),
    onSuccess: (created) => {
      onCreated(created);
      setName('');
      close();
      return queries.invalidateQueries({ queryKey: ['/v1/oauth/grants'] });
    },
  });
  const error = (field: string) => problemOf(mutation.error, field);
  return (
    <>
      <Button variant="default" onClick={open}>
        Register a program
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Register a program"
        action="Register the program"
        mutation={mutation}
        fields={['name', 'credit_cap', 'credit_cap_window']}
      >
        <TextInput
          label="Name"
          placeholder="Night job"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={error('name')}
          required
          data-autofocus
        />
        <NumberInput
          label="Budget in credits"
          description="Empty: no budget. You can change this and the other limits later."
          value={cap}
          onChange={setCap}
          error={error('credit_cap')}
          min={0}
          allowDecimal={false}
          hideControls
        />
        <NativeSelect
          label="The budget is for"
          data={WINDOWS}
          value={window}
          onChange={(event) => setWindow(event.currentTarget.value)}
          error={error('credit_cap_window')}
        />
      </FormModal>
    </>
  );
}

/** Commands of a shell that get a token by a new secret. */
export function programSnippet({ client_id, client_secret }: CreatedProgram, origin: string): string {
  return `curl -s '${origin}/oauth/token' -u '${client_id}:${client_secret}' -d grant_type=client_credentials`;
}
