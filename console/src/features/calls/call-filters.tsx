import { Group, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Input } from '../../client/http';
import { get } from '../../client/queries';
import { DateField } from '../../ui/date-field';
import { startOf } from '../../ui/days';
import type { Chip } from '../../ui/filter-chips';
import { formatCode, formatDate } from '../../ui/format';
import { useChangeSearch, useSearchValue } from '../../ui/params';
import { useAgentNames } from './agent-names';

export type CallFilter = NonNullable<Input<'/v1/invocations', 'get'>['query']>;
const STATES: Record<NonNullable<CallFilter['status']>, true> = {
  pending: true,
  running: true,
  succeeded: true,
  failed: true,
  disputed: true,
};
/** Beside the states, as the value of the same field: calls whose agents have asked. */
export const ASKED = 'input_required';
export const ASKED_TEXT = 'Waits for you';
const KEY_ID = /^key_[0-9a-f]{32}$/;
const AGENT_ID = /^agt_[a-z0-9_]+_v[0-9]+$/;
const TAG = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}=.{1,100}$/;
export const CALL_FIELDS = ['agent', 'status', 'key', 'tag', 'from', 'to'];

interface Chosen {
  agent: string;
  status: string;
  key: string;
  /** A pair of metadata, such as `project=atlas`. */
  tag: string;
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
    tag: useSearchValue('tag') ?? '',
    from: useSearchValue('from') ?? '',
    to: useSearchValue('to') ?? '',
  };
  const [since, until] = [startOf(chosen.from), startOf(chosen.to, 1)];
  const filter = {
    ...(AGENT_ID.test(chosen.agent) ? { agent_id: chosen.agent } : {}),
    ...(chosen.status in STATES ? { status: chosen.status as keyof typeof STATES } : {}),
    ...(chosen.status === ASKED ? { input_required: 'true' as const } : {}),
    ...(KEY_ID.test(chosen.key) ? { key_id: chosen.key } : {}),
    ...(TAG.test(chosen.tag) && { tag: chosen.tag }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
  return { chosen, filter };
}

/** The agents that the account has paid, and its keys, by their names. */
export function useCallNames() {
  const agents = useAgentNames();
  const keys = useQuery(get('/v1/keys', { query: { limit: 100 } }));
  return {
    agents,
    keys: (keys.data?.items ?? []).map(({ key_id: value, name }) => ({ value, label: name })),
  };
}

export type CallNames = ReturnType<typeof useCallNames>;

/** The filters that are set, as a person reads them. */
export function chipsOf(chosen: Chosen, { filter, names }: { filter: CallFilter; names: CallNames }): Chip[] {
  const nameIn = (list: CallNames['agents'], id: string) =>
    list.find(({ value }) => value === id)?.label ?? id;
  return [
    filter.agent_id !== undefined && { field: 'agent', text: nameIn(names.agents, filter.agent_id) },
    filter.status !== undefined && { field: 'status', text: formatCode(filter.status) },
    filter.input_required !== undefined && { field: 'status', text: ASKED_TEXT },
    filter.key_id !== undefined && { field: 'key', text: `Key ${nameIn(names.keys, filter.key_id)}` },
    filter.tag !== undefined && { field: 'tag', text: filter.tag },
    filter.since !== undefined && { field: 'from', text: `From ${formatDate(chosen.from)}` },
    filter.until !== undefined && { field: 'to', text: `To ${formatDate(chosen.to)}` },
  ].filter((chip) => chip !== false);
}

/** Which calls are listed: by agent, state, key, tag and time. */
export function CallFilters({
  chosen: values,
  names,
  children,
}: {
  chosen: Chosen;
  names: CallNames;
  children: ReactNode;
}) {
  const change = useChangeSearch();
  const set = (field: keyof Chosen) => (value: string | null) => change({ [field]: value });
  const isListed = names.agents.some(({ value }) => value === values.agent);
  const others = values.agent === '' || isListed ? [] : [{ value: values.agent, label: values.agent }];
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label="Agent"
        placeholder="Any"
        clearable
        searchable
        nothingFoundMessage="No such agent was paid"
        w={230}
        value={values.agent || null}
        onChange={set('agent')}
        data={[...names.agents, ...others]}
      />
      <Select
        label="State"
        placeholder="Any"
        clearable
        w={140}
        value={values.status || null}
        onChange={set('status')}
        data={[
          { value: ASKED, label: ASKED_TEXT },
          ...Object.keys(STATES).map((value) => ({ value, label: formatCode(value) })),
        ]}
      />
      <Select
        label="Key"
        placeholder="Any"
        clearable
        w={180}
        value={values.key || null}
        onChange={set('key')}
        data={names.keys}
      />
      <TextInput
        label="Tag"
        placeholder="project=atlas"
        w={170}
        value={values.tag}
        onChange={(event) => set('tag')(event.currentTarget.value)}
      />
      <DateField label="From" value={values.from} onChange={set('from')} />
      <DateField label="To" value={values.to} onChange={set('to')} />
      {children}
    </Group>
  );
}
