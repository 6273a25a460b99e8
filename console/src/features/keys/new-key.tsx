import { Alert, Button, Checkbox, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { CodeBlock } from '../../ui/code-block';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';

const SCOPES = [
  { value: 'agents:invoke', label: 'Call agents' },
  { value: 'agents:read', label: 'Read listings, trust reports and usage' },
  { value: 'agents:publish', label: 'Publish agents' },
  { value: 'billing:read', label: 'Read balances and statements' },
  { value: 'webhooks:manage', label: 'Manage webhooks' },
] as const;
type Scope = (typeof SCOPES)[number]['value'];

/** The secret of a new or rotated key, which is shown only once. */
export function NewSecret({ secret, what }: { secret: string; what: string }) {
  return (
    <Alert color="green" title={`Copy this ${what} now`} variant="light">
      It is shown only once.
      <CodeBlock text={secret} label={what} />
    </Alert>
  );
}

interface NewKeyProps {
  onCreated: (secret: string, name: string) => void;
  variant?: 'filled' | 'default';
}

/** Creates a key with its scopes and its cap. */
export function NewKey({ onCreated, variant = 'filled' }: NewKeyProps) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['agents:invoke', 'agents:read']);
  const [cap, setCap] = useState<number | string>(100);
  const mutation = useMutation({
    mutationFn: () =>
      send('post', '/v1/keys', {
        body: { name, scopes: scopes as Scope[], credit_cap: cap === '' ? null : Number(cap) },
      }),
    onSuccess: ({ key }) => {
      onCreated(key, name);
      setName('');
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
        disabled={scopes.length === 0}
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
            {SCOPES.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group>
          <NumberInput
            label="Credit cap"
            description="The most that the key can spend in its life. Empty: no cap."
            value={cap}
            onChange={setCap}
            min={0}
            hideControls
            w="100%"
          />
        </Group>
      </FormModal>
    </>
  );
}
