import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { send, type Answer } from '../../client/http';
import { formatCode } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { useSearchValue } from '../../ui/params';
import { Failure } from '../../ui/states';

type Found = Answer<'/v1/operator/lookup', 'get'>['items'][number];

/** The page with the money of what was found. */
function addressOf({ kind, id, user_id: user, invocation_id: call }: Found): string {
  if (kind === 'agent') return `/operator/agents/${id}`;
  return call === null ? `/operator/accounts/${user ?? id}` : `/operator/calls/${call}`;
}

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
      if (first && others.length === 0) void navigate({ to: addressOf(first), replace: asked !== undefined });
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
          label="Find by any id, e-mail address or trace"
          placeholder="inv_… usr_… agt_… pay_… dsp_… slh_… top_… ada@example.org"
          className="grow"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" loading={look.isPending} disabled={text.trim().length < 3}>
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
        Nothing has this id. Traces of callers who sent their own trace id are in the logs alone.
      </Alert>
    );
  return (
    <ul className="problems">
      {items.map((item) => (
        <li key={item.id}>
          <AppLink to={addressOf(item)}>
            {formatCode(item.kind)} {item.title}
          </AppLink>
        </li>
      ))}
    </ul>
  );
}
