import { Group, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Input } from '../../client/http';
import { get } from '../../client/queries';
import { formatCode } from '../../ui/format';

export type CallFilter = NonNullable<Input<'/v1/invocations', 'get'>['query']>;
const STATES: Record<NonNullable<CallFilter['status']>, true> = {
  pending: true,
  running: true,
  succeeded: true,
  failed: true,
  disputed: true,
};
const AGENT_ID = /^agt_[a-z0-9_]+_v[0-9]+$/;

/** The start of a day in the reader's time, `days` later; undefined for no day. */
function startOf(day: string, days = 0): string | undefined {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return undefined;
  return new Date(year, month - 1, date + days).toISOString();
}

/** Which calls are listed: by agent, state, key and time. */
export function CallFilters({ onChange }: { onChange: (filter: CallFilter) => void }) {
  const keys = useQuery(get('/v1/keys', { query: { limit: 100 } }));
  const [values, setValues] = useState({ agent: '', status: '', key: '', from: '', to: '' });
  const set = (field: keyof typeof values) => (value: string | null) => {
    const next = { ...values, [field]: value ?? '' };
    setValues(next);
    const [since, until] = [startOf(next.from), startOf(next.to, 1)];
    onChange({
      ...(AGENT_ID.test(next.agent) ? { agent_id: next.agent } : {}),
      ...(next.status ? { status: next.status as keyof typeof STATES } : {}),
      ...(next.key ? { key_id: next.key } : {}),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    });
  };
  const wrong = values.agent !== '' && !AGENT_ID.test(values.agent);
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label="State"
        placeholder="Any"
        clearable
        w={140}
        value={values.status || null}
        onChange={set('status')}
        data={Object.keys(STATES).map((value) => ({ value, label: formatCode(value) }))}
      />
      <Select
        label="Key"
        placeholder="Any"
        clearable
        w={180}
        value={values.key || null}
        onChange={set('key')}
        data={(keys.data?.items ?? []).map(({ key_id: value, name }) => ({ value, label: name }))}
      />
      <DateInput label="From" value={values.from} onChange={set('from')} />
      <DateInput label="To" value={values.to} onChange={set('to')} />
      <TextInput
        label="Agent"
        placeholder="agt_…_v1"
        w={230}
        value={values.agent}
        onChange={(event) => set('agent')(event.currentTarget.value.trim())}
        error={wrong ? 'An agent id looks like agt_unit_converter_v1' : undefined}
      />
    </Group>
  );
}

interface DateInputProps {
  label: string;
  /** `YYYY-MM-DD`, or nothing. */
  value: string;
  onChange: (value: string) => void;
}

function DateInput({ onChange, ...props }: DateInputProps) {
  return (
    <TextInput type="date" w={150} {...props} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}
