import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { send, type Answer } from '../../client/http';
import { formatCode } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { useSearchValue } from '../../ui/params';
import { Failure } from '../../ui/states';
import { Written } from '../../ui/written';
import { addressOfFound } from './found';

type Found = Answer<'/v1/operator/lookup', 'get'>['items'][number];

/**
 * One field for any id, e-mail address or trace; it leads to the timeline of its money. `?find=` fills it in and looks.
 */
export function IdBox() {
  const navigate = useNavigate();
  const asked = useSearchValue('find');
  const [text, setText] = useState(asked ?? '');
  const look = useMutation({
    mutationFn: () => send('get', '/v1/operator/lookup', { query: { q: text.trim() } }),
    onSuccess: ({ items: [first, ...others] }) => {
      if (first && others.length === 0)
        void navigate({ to: addressOfFound(first), replace: asked !== undefined });
    },
  });
  const { mutate } = look;
  useEffect(() => {
    if (asked !== undefined) mutate();
  }, [asked, mutate]);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        look.mutate();
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Find by any id, name, address, invoice number or its end, end of a key, or trace"
          placeholder="Ada, ada@…, dev_ada, SBX-2026-000004, …cZzJ, inv_…, dsp_…"
          className="grow"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" loading={look.isPending} disabled={text.trim().length < 2}>
          Find
        </Button>
      </Group>
      {look.isError && <Failure error={look.error} />}
      {look.data && <Matches items={look.data.items} />}
    </form>
  );
}

function Matches({ items }: { items: Found[] }) {
  if (items.length === 0)
    return (
      <Alert color="gray" variant="light" mt="sm" role="status" title="Nothing found">
        Nothing has this id, name, address or number. Traces of callers who sent their own trace id are in the
        logs alone.
      </Alert>
    );
  return (
    <ul className="problems">
      {items.map((item) => (
        <li key={item.id}>
          <AppLink to={addressOfFound(item)}>
            {formatCode(item.kind)} <Written>{item.title}</Written>
          </AppLink>
        </li>
      ))}
    </ul>
  );
}
