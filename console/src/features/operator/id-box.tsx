import { Button, Group, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

/** Leads from an id to its page. */
function addressOf(id: string): string | undefined {
  if (id.startsWith('usr_')) return `/operator/accounts/${id}`;
  if (id.startsWith('agt_')) return `/agents/${id}`;
  return undefined;
}

/** One field for an id, which opens its page. */
export function IdBox() {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const address = addressOf(id);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (address) void navigate({ to: address });
      }}
    >
      <Group align="flex-end">
        <TextInput
          label="Open an account or an agent"
          placeholder="usr_… or agt_…"
          className="grow"
          value={id}
          onChange={(event) => setId(event.currentTarget.value.trim())}
          error={id !== '' && !address ? 'An id begins with usr_ or agt_' : undefined}
        />
        <Button type="submit" disabled={!address}>
          Open
        </Button>
      </Group>
    </form>
  );
}
