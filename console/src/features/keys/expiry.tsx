import { Group, Select } from '@mantine/core';
import { DateField } from '../../ui/date-field';
import { startOf } from '../../ui/days';

const DAY_MS = 86_400_000;
const CHOICES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'On a day' },
];

/** When a key ends: never, after a number of days, or at the beginning of a day. */
export interface Expiry {
  choice: string;
  day: string;
}

export const NEVER: Expiry = { choice: '', day: '' };

/** As the API takes it; undefined while a day is still to be chosen. */
export function expiresAt({ choice, day }: Expiry): string | null | undefined {
  if (choice === '') return null;
  if (choice !== 'date') return new Date(Date.now() + Number(choice) * DAY_MS).toISOString();
  return startOf(day);
}

interface ExpiryProps {
  value: Expiry;
  onChange: (value: Expiry) => void;
  error: string | undefined;
}

export function ExpirySelect({ value, onChange, error }: ExpiryProps) {
  return (
    <Group align="flex-end" gap="xs">
      <Select
        label="Expires"
        data={CHOICES}
        value={value.choice}
        onChange={(choice) => onChange({ ...value, choice: choice ?? '' })}
        allowDeselect={false}
        error={error}
        className="grow"
      />
      {value.choice === 'date' && (
        <DateField label="Day" value={value.day} onChange={(day) => onChange({ ...value, day })} />
      )}
    </Group>
  );
}
