import { Group, NumberInput, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { formatCode } from '../../ui/format';
import type { Listing } from './price';

export interface Filters {
  q?: string;
  category?: string;
  badge?: string;
  sort?: string;
  max_price?: number;
  developer_id?: string;
  min_success_rate?: number;
  max_p50_ms?: number;
  streaming?: boolean;
  jobs?: boolean;
  residency?: string;
  max_retention_days?: number;
  protocol?: string;
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
  { value: 'success_rate', label: 'Most successes' },
  { value: 'latency', label: 'Fastest' },
];

interface FiltersProps {
  value: Filters;
  /** `isTyping`: the words go on that were changed before, so that Back returns to those before them all. */
  onChange: (next: Filters, isTyping: boolean) => void;
}

/** Words that follow each other sooner are one query in the history. */
const ONE_QUERY_MS = 1_000;

/** The words in the field. They follow the address of the page, such as after Back. */
function useWords({ value, onChange }: FiltersProps) {
  const [words, setWords] = useState(value.q ?? '');
  const sent = useRef(value.q ?? '');
  const typedAt = useRef(-Infinity);
  useEffect(() => {
    if ((value.q ?? '') === sent.current) return;
    sent.current = value.q ?? '';
    typedAt.current = -Infinity;
    setWords(sent.current);
  }, [value.q]);
  const search = useDebouncedCallback((q: string) => {
    sent.current = q;
    onChange({ ...value, q }, Date.now() - typedAt.current < ONE_QUERY_MS);
    typedAt.current = Date.now();
  }, 250);
  return {
    words,
    write: (next: string) => {
      setWords(next);
      search(next);
    },
  };
}

/** The search words and filters; the address of the page holds them. */
export function ListingFilters(props: FiltersProps) {
  const { value, onChange } = props;
  const { words, write } = useWords(props);
  const set = (field: keyof Filters) => (next: string | number | null) =>
    onChange({ ...value, [field]: next === null || next === '' ? undefined : next }, false);
  return (
    <Group gap="sm" align="flex-end" role="search">
      <TextInput
        label="Search"
        placeholder="Convert units, extract tables, …"
        flex="1 1 260px"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={words}
        onChange={({ currentTarget }) => write(currentTarget.value)}
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
