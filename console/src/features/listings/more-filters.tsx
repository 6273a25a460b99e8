import { Group, Select } from '@mantine/core';
import { formatCode } from '../../ui/format';
import type { Filters } from './filters';

const SHARES = ['0.9', '0.95', '0.99'];
const WAYS = [
  { value: 'streaming', label: 'Streams' },
  { value: 'jobs', label: 'Takes jobs' },
];
const KEPT = [
  { value: '0', label: 'Nothing' },
  { value: '1', label: 'A day' },
  { value: '30', label: '30 days' },
];

/** Filters by how an agent works, and by what it does with data. */
export function MoreFilters({ value, onChange }: { value: Filters; onChange: (next: Filters) => void }) {
  const set = (change: Partial<Filters>) => onChange({ ...value, ...change });
  const number = (text: string | null) => (text === null ? undefined : Number(text));
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label="Calls that succeed"
        placeholder="Any"
        clearable
        w={150}
        value={value.min_success_rate === undefined ? null : String(value.min_success_rate)}
        onChange={(next) => set({ min_success_rate: number(next) })}
        data={SHARES.map((share) => ({
          value: share,
          label: `At least ${Math.round(Number(share) * 100)}%`,
        }))}
      />
      <Select
        label="Answers"
        placeholder="Any"
        clearable
        w={130}
        value={value.streaming ? 'streaming' : value.jobs ? 'jobs' : null}
        onChange={(next) =>
          set({ streaming: next === 'streaming' || undefined, jobs: next === 'jobs' || undefined })
        }
        data={WAYS}
      />
      <Select
        label="Protocol"
        placeholder="Any"
        clearable
        w={110}
        value={value.protocol ?? null}
        onChange={(next) => set({ protocol: next ?? undefined })}
        data={['http', 'mcp', 'a2a'].map((name) => ({ value: name, label: name.toUpperCase() }))}
      />
      <Select
        label="Region of data"
        placeholder="Any"
        clearable
        w={140}
        value={value.residency ?? null}
        onChange={(next) => set({ residency: next ?? undefined })}
        data={['eu', 'us', 'in', 'ap', 'global'].map((name) => ({ value: name, label: formatCode(name) }))}
      />
      <Select
        label="Keeps data"
        placeholder="Any time"
        clearable
        w={120}
        value={value.max_retention_days === undefined ? null : String(value.max_retention_days)}
        onChange={(next) => set({ max_retention_days: number(next) })}
        data={KEPT}
      />
    </Group>
  );
}
