import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import { BUDGET_FIELDS, budgetBody, BudgetFields, type Budget } from './budget-fields';
import { expiresAt, ExpirySelect, NEVER } from './expiry';
import { SCOPE_NAMES, SCOPES, type Scope } from './scopes';

export type CreatedKey = Pick<Answer<'/v1/keys', 'post'>, 'key_id' | 'key' | 'scopes' | 'name'>;

interface NewKeyProps {
  onCreated: (key: CreatedKey) => void;
  variant?: 'filled' | 'default';
}

/** Creates a key with its scopes, its cap and its end. */
export function NewKey({ onCreated, variant = 'filled' }: NewKeyProps) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['agents:invoke', 'agents:read']);
  const [budget, setBudget] = useState<Budget>({ cap: 100, window: 'lifetime' });
  const [expiry, setExpiry] = useState(NEVER);
  const ends = expiresAt(expiry);
  const mutation = useMutation({
    mutationFn: () =>
      send('post', '/v1/keys', {
        body: {
          name,
          scopes: scopes as Scope[],
          ...budgetBody(budget),
          expires_at: expiresAt(expiry) ?? null,
        },
      }),
    onSuccess: (created) => {
      onCreated(created);
      setName('');
      setExpiry(NEVER);
      close();
      return queries.invalidateQueries({ queryKey: ['/v1/keys'] });
    },
  });
  return (
    <>
      <Button onClick={open} variant={variant}>
        Create a key
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Create a key"
        action="Create the key"
        mutation={mutation}
        fields={['name', 'expires_at', ...BUDGET_FIELDS]}
        disabled={scopes.length === 0 || ends === undefined}
      >
        <TextInput
          label="Name"
          placeholder="Production server"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemOf(mutation.error, 'name')}
          required
          data-autofocus
        />
        <Checkbox.Group label="It may" value={scopes} onChange={setScopes}>
          <Stack gap={6} mt={6}>
            {SCOPE_NAMES.map((value) => (
              <Checkbox key={value} value={value} label={SCOPES[value].label} />
            ))}
          </Stack>
        </Checkbox.Group>
        <BudgetFields
          label="Credit cap"
          value={budget}
          onChange={setBudget}
          error={mutation.error}
          description="The most that the key can spend in that time. Empty: no cap. You can change this and the other limits later."
        />
        <ExpirySelect value={expiry} onChange={setExpiry} error={problemOf(mutation.error, 'expires_at')} />
      </FormModal>
    </>
  );
}
