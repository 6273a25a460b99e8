import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { get } from '../../client/queries';
import { DateField } from '../../ui/date-field';
import { startOf } from '../../ui/days';
import { isolated } from '../../ui/isolated';
import { useChangeSearch, useSearchValue } from '../../ui/params';
import { operationWords } from './operation-words';

type LogQuery = NonNullable<Input<'/v1/organisations/{org_id}/log', 'get'>['query']>;
const USER = /^usr_[0-9a-f]{32}$/;
const OPERATION = /^[A-Za-z0-9]{1,80}$/;

function useChosen() {
  return {
    operation: useSearchValue('operation') ?? '',
    by: useSearchValue('by') ?? '',
    from: useSearchValue('from') ?? '',
    to: useSearchValue('to') ?? '',
  };
}

/** The filters that the address of the page holds. */
export function useLogFilter(): LogQuery {
  const { operation, by, from, to } = useChosen();
  const [since, until] = [startOf(from), startOf(to, 1)];
  return {
    ...(OPERATION.test(operation) ? { operation } : {}),
    ...(USER.test(by) ? { user_id: by } : {}),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** The address of the CSV with the same entries. */
export function csvOf(orgId: string, filter: LogQuery): string {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
  return `/v1/organisations/${orgId}/log.csv${query.size > 0 ? `?${query.toString()}` : ''}`;
}

interface LogFiltersProps {
  orgId: string;
  /** Operations of the entries that are shown. */
  operations: readonly string[];
}

/** Which entries of the log are listed: by action, member and day. */
export function LogFilters({ orgId, operations }: LogFiltersProps) {
  const { operation, by, from, to } = useChosen();
  const change = useChangeSearch();
  const path = { org_id: orgId };
  const { data } = useQuery(get('/v1/organisations/{org_id}/members', { path, query: { limit: 100 } }));
  const names = [...new Set([...operations, ...(operation === '' ? [] : [operation])])];
  const members = (data?.items ?? []).map(({ user_id: value, name }) => ({ value, label: isolated(name) }));
  const other = by === '' || members.some(({ value }) => value === by) ? [] : [{ value: by, label: by }];
  return (
    <>
      <Select
        label="Action"
        placeholder="Any"
        clearable
        searchable
        w={200}
        value={operation || null}
        onChange={(value) => change({ operation: value })}
        data={names
          .map((value) => ({ value, label: operationWords(value) }))
          .sort((a, b) => a.label.localeCompare(b.label))}
      />
      <Select
        label="By"
        placeholder="Anyone"
        clearable
        searchable
        w={200}
        value={by || null}
        onChange={(value) => change({ by: value })}
        data={[...members, ...other]}
      />
      <DateField label="From" value={from} onChange={(value) => change({ from: value })} />
      <DateField label="To" value={to} onChange={(value) => change({ to: value })} />
    </>
  );
}
