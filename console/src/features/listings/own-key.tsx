import { Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get, type ItemOf } from '../../client/queries';
import { NewKey } from '../keys/new-key';
import type { ShownKey } from './snippets';
import { isolated } from '../../ui/isolated';

type Key = ItemOf<'/v1/keys'>;

const mayCall = ({ scopes, expires_at: end }: Key) =>
  scopes.includes('agents:invoke') && (end === null || Date.parse(end) > Date.now());

/** A key of the reader, as the code shows it. */
export interface ChosenKey extends ShownKey {
  id: string;
}

const shownOf = ({ key_id: id, name, key_hint: hint }: Key): ChosenKey => ({
  id,
  name,
  text: `amk_live_…${hint}`,
  isSecret: false,
});

interface OwnKeyProps {
  chosen: ChosenKey | undefined;
  onChoose: (key: ChosenKey | undefined) => void;
}

/** Chooses which of the reader's keys the code has. A key that is made here is in it with its secret. */
export function OwnKey({ chosen, onChoose }: OwnKeyProps) {
  const query = useQuery(get('/v1/keys', { query: { limit: 100 } }));
  const keys = (query.data?.items ?? []).filter(mayCall);
  const [first] = keys;
  useEffect(() => {
    if (chosen === undefined && first) onChoose(shownOf(first));
  }, [chosen, first, onChoose]);
  const current = keys.find(({ key_id: id }) => id === chosen?.id);
  return (
    <Group align="flex-end" gap="sm">
      {keys.length > 0 && (
        <Select
          label="Key in the code"
          w={260}
          allowDeselect={false}
          value={current?.key_id ?? null}
          onChange={(id) => {
            const key = keys.find(({ key_id: one }) => one === id);
            if (key && key !== current) onChoose(shownOf(key));
          }}
          data={keys.map(({ key_id: value, name, key_hint: hint }) => ({
            value,
            label: `${name} (…${hint})`,
          }))}
        />
      )}
      <NewKey
        onCreated={({ key_id: id, key, name }) => onChoose({ id, name, text: key, isSecret: true })}
        variant="default"
      />
      <Text fz="sm" c="dimmed" className="grow" role="status">
        {statusOf(chosen)}
      </Text>
    </Group>
  );
}

function statusOf(chosen: ShownKey | undefined): string {
  if (chosen === undefined) return 'You have no key that may call agents. Create one to see it in the code.';
  return chosen.isSecret
    ? `The code has the secret of the key "${isolated(chosen.name)}". It is shown only now: keep it.`
    : `The code has the end of the key "${isolated(chosen.name)}". Its secret was shown when it was created.`;
}
