import { Select, TextInput } from '@mantine/core';
import { CountrySelect } from '../../ui/country-select';

/** Details with few values. */
const CHOICES: Record<string, { value: string; label: string }[]> = {
  account_type: [
    { value: 'checking', label: 'Checking' },
    { value: 'savings', label: 'Savings' },
  ],
  network: [{ value: 'base', label: 'Base' }],
};

interface DetailProps {
  name: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  required: boolean;
}

/** One detail of a payout method, as a text or a choice. */
export function Detail({ name, label, value, onChange, ...field }: DetailProps) {
  if (name === 'country') return <CountrySelect value={value} onChange={onChange} {...field} />;
  const choices = CHOICES[name];
  if (!choices)
    return (
      <TextInput
        label={label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        {...field}
      />
    );
  return (
    <Select
      label={label}
      data={choices}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
      {...field}
    />
  );
}
