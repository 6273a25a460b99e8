import { Group, NumberInput, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCode } from '../../ui/format';
import type { Listing } from './price';

export interface Filters {
  q?: string;
  category?: string;
  badge?: string;
  sort?: string;
  max_price?: number;
}

/** Exhaustive: the types of the API decide which categories there are. */
const CATEGORIES: Record<Listing['category'], true> = {
  'data-processing': true,
  'code-generation': true,
  'document-analysis': true,
  'web-research': true,
  media: true,
  finance: true,
  productivity: true,
  communication: true,
  security: true,
  other: true,
};
const SORTS = [
  { value: 'relevance', label: 'Best match' },
  { value: 'trust_score', label: 'Highest score' },
  { value: 'price_asc', label: 'Lowest price' },
  { value: 'price_desc', label: 'Highest price' },
  { value: 'popular', label: 'Most buyers' },
  { value: 'newest', label: 'Newest' },
];

/** The search words and filters; the address of the page holds them. */
export function ListingFilters({ value, onChange }: { value: Filters; onChange: (next: Filters) => void }) {
  const [words, setWords] = useState(value.q ?? '');
  const search = useDebouncedCallback((q: string) => onChange({ ...value, q }), 250);
  const set = (field: keyof Filters) => (next: string | number | null) =>
    onChange({ ...value, [field]: next === null || next === '' ? undefined : next });
  return (
    <Group gap="sm" align="flex-end" role="search">
      <TextInput
        label="Search"
        placeholder="Convert units, extract tables, …"
        flex="1 1 260px"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={words}
        onChange={({ currentTarget }) => {
          setWords(currentTarget.value);
          search(currentTarget.value);
        }}
      />
      <Select
        label="Category"
        placeholder="Any"
        clearable
        w={170}
        value={value.category ?? null}
        onChange={set('category')}
        data={Object.keys(CATEGORIES).map((name) => ({ value: name, label: formatCode(name) }))}
      />
      <Select
        label="Badge"
        placeholder="Any"
        clearable
        w={120}
        value={value.badge ?? null}
        onChange={set('badge')}
        data={['basic', 'standard', 'premium'].map((name) => ({ value: name, label: formatCode(name) }))}
      />
      <NumberInput
        label="Price up to"
        placeholder="Any"
        w={110}
        min={1}
        max={100_000}
        value={value.max_price ?? ''}
        onChange={set('max_price')}
        hideControls
      />
      <Select
        label="Order"
        w={150}
        value={value.sort ?? 'relevance'}
        allowDeselect={false}
        onChange={set('sort')}
        data={SORTS}
      />
    </Group>
  );
}
