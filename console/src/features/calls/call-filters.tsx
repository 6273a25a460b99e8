import { Group, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { get } from '../../client/queries';
import { formatCode } from '../../ui/format';
import { useChangeSearch, useSearchValue } from '../../ui/params';

export type CallFilter = NonNullable<Input<'/v1/invocations', 'get'>['query']>;
const STATES: Record<NonNullable<CallFilter['status']>, true> = {
  pending: true,
  running: true,
  succeeded: true,
  failed: true,
  disputed: true,
};
const KEY_ID = /^key_[0-9a-f]{32}$/;
const AGENT_ID = /^agt_[a-z0-9_]+_v[0-9]+$/;

/** The start of a day in the reader's time, `days` later; undefined for no day. */
function startOf(day: string, days = 0): string | undefined {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return undefined;
  const start = new Date(year, month - 1, date + days);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

interface Chosen {
  agent: string;
  status: string;
  key: string;
  /** `YYYY-MM-DD` in the reader's time, as `to`. */
  from: string;
  to: string;
}

/** The filters that the address of the page holds. */
export function useCallFilters(): { chosen: Chosen; filter: CallFilter } {
  const chosen = {
    agent: useSearchValue('agent') ?? '',
    status: useSearchValue('status') ?? '',
    key: useSearchValue('key') ?? '',
    from: useSearchValue('from') ?? '',
    to: useSearchValue('to') ?? '',
  };
  const [since, until] = [startOf(chosen.from), startOf(chosen.to, 1)];
  const filter = {
    ...(AGENT_ID.test(chosen.agent) ? { agent_id: chosen.agent } : {}),
    ...(chosen.status in STATES ? { status: chosen.status as keyof typeof STATES } : {}),
    ...(KEY_ID.test(chosen.key) ? { key_id: chosen.key } : {}),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
  return { chosen, filter };
}

/** Which calls are listed: by agent, state, key and time. */
export function CallFilters({ chosen: values }: { chosen: Chosen }) {
  const keys = useQuery(get('/v1/keys', { query: { limit: 100 } }));
  const change = useChangeSearch();
  const set = (field: keyof Chosen) => (value: string | null) => change({ [field]: value });
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
