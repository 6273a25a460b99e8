import { Button, Group } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useChangeSearch } from './params';

export interface Chip {
  /** The name in the address of the page. */
  field: string;
  text: string;
}

/** The filters that are set, each with a button that removes it, and one for all. */
export function FilterChips({ chips }: { chips: readonly Chip[] }) {
  const change = useChangeSearch();
  if (chips.length === 0) return null;
  return (
    <Group gap={6} role="group" aria-label="Filters">
      {chips.map(({ field, text }) => (
        <Button
          key={field}
          variant="light"
          size="compact-xs"
          radius="xl"
          rightSection={<IconX size={12} aria-hidden />}
          aria-label={`Remove the filter ${text}`}
          onClick={() => change({ [field]: null })}
        >
          {text}
        </Button>
      ))}
      <ClearFilters fields={chips.map(({ field }) => field)} />
    </Group>
  );
}

export function ClearFilters({ fields }: { fields: readonly string[] }) {
  const change = useChangeSearch();
  return (
    <Button
      variant="subtle"
      size="compact-xs"
      onClick={() => change(Object.fromEntries(fields.map((field) => [field, null])))}
    >
      Clear all
    </Button>
  );
}
