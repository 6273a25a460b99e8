import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import { BUDGET_FIELDS, budgetBody, BudgetFields, type Budget } from './budget-fields';

export type CreatedProgram = Pick<
  Answer<'/v1/oauth/grants', 'post'>,
  'client_id' | 'client_secret' | 'agent_id'
>;

/** Registers a program that gets tokens for all agents of the market by a secret. */
export function NewProgram({ onCreated }: { onCreated: (program: CreatedProgram) => void }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [name, setName] = useState('');
  const [budget, setBudget] = useState<Budget>({ cap: 100, window: 'day' });
  const mutation = useMutation({
    mutationFn: () => send('post', '/v1/oauth/grants', { body: { name, ...budgetBody(budget) } }),
    onSuccess: (created) => {
      onCreated(created);
      setName('');
      close();
      return queries.invalidateQueries({ queryKey: ['/v1/oauth/grants'] });
    },
  });
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
        fields={['name', ...BUDGET_FIELDS]}
      >
        <TextInput
          label="Name"
          placeholder="Night job"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemOf(mutation.error, 'name')}
          required
          data-autofocus
        />
        <BudgetFields
          value={budget}
          onChange={setBudget}
          error={mutation.error}
          description="Empty: no budget. You can change this and the other limits later."
        />
      </FormModal>
    </>
  );
}

/** Commands of a shell that get a token by a new secret. */
export function programSnippet({ client_id, client_secret }: CreatedProgram, origin: string): string {
  return `curl -s '${origin}/oauth/token' -u '${client_id}:${client_secret}' -d grant_type=client_credentials`;
}
