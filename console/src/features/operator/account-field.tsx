import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../../client/queries';

const TYPED_MS = 250;
const LEAST = 2;

interface AccountFieldProps {
  label: string;
  value: string | null;
  onChange: (userId: string | null) => void;
}

/** A field that finds an account by a part of its name or address, or by its id. */
export function AccountField({ label, value, onChange }: AccountFieldProps) {
  const [text, setText] = useState('');
  const [wanted] = useDebouncedValue(text.trim(), TYPED_MS);
  const found = useQuery({
    ...get('/v1/operator/lookup', { query: { q: wanted } }),
    enabled: wanted.length >= LEAST && value === null,
  });
  const accounts = (found.data?.items ?? []).filter(({ kind }) => kind === 'account');
  const [chosen, setChosen] = useState<{ value: string; label: string }>();
  const options = accounts.map(({ id, title }) => ({ value: id, label: title }));
  return (
    <Select
      label={label}
      placeholder="A part of a name or an address"
      data={chosen && !options.some((one) => one.value === chosen.value) ? [chosen, ...options] : options}
      value={value}
      onChange={(id) => {
        setChosen(options.find((one) => one.value === id));
        onChange(id);
      }}
      searchable
      clearable
      searchValue={text}
      onSearchChange={(next) => {
        setText(next);
        if (value !== null && next !== chosen?.label) onChange(null);
      }}
      filter={({ options: all }) => all}
      nothingFoundMessage={wanted.length < LEAST ? 'Type two characters.' : 'No account'}
      required
      data-autofocus
    />
  );
}
