import { TextInput } from '@mantine/core';

interface DateFieldProps {
  label: string;
  /** `YYYY-MM-DD` in the reader's time, or nothing. */
  value: string;
  onChange: (value: string) => void;
}

export function DateField({ onChange, ...props }: DateFieldProps) {
  return (
    <TextInput type="date" w={150} {...props} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}
