import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { get } from '../../client/queries';
import { DateField } from '../../ui/date-field';
import { startOf } from '../../ui/days';
import { useChangeSearch, useSearchValue } from '../../ui/params';
import { AUDIT_NAMES } from './audit-names';
import { isolated } from '../../ui/isolated';

export type AuditQuery = NonNullable<Input<'/v1/operator/actions', 'get'>['query']>;
const ACTION = /^[a-z_]+\.[a-z_]+$/;
const USER = /^usr_[0-9a-f]{32}$/;
const NAMES = Object.entries(AUDIT_NAMES)
  .map(([value, label]) => ({ value, label }))
  .sort((a, b) => a.label.localeCompare(b.label));

function useChosen() {
  return {
    action: useSearchValue('action') ?? '',
    by: useSearchValue('by') ?? '',
    from: useSearchValue('from') ?? '',
    to: useSearchValue('to') ?? '',
  };
}

/** The filters that the address of the page holds. */
export function useAuditFilter(): AuditQuery {
  const { action, by, from, to } = useChosen();
  const [since, until] = [startOf(from), startOf(to, 1)];
  return {
    ...(ACTION.test(action) ? { action } : {}),
    ...(USER.test(by) ? { operator_user_id: by } : {}),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** The operators of the marketplace by their names. */
function useOperators() {
  const { data } = useQuery(get('/v1/operator/accounts', { query: { role: 'operator', limit: 100 } }));
  return (data?.items ?? []).map((one) => ({
    value: one.user_id,
    label: `${isolated(one.display_name)} (${one.email})`,
  }));
}

/** Which entries of the audit log are listed: by action, operator and day. */
export function AuditFilters() {
  const chosen = useChosen();
  const change = useChangeSearch();
  const operators = useOperators();
  const others = (data: { value: string }[], value: string) =>
    value === '' || data.some((one) => one.value === value) ? [] : [{ value, label: value }];
  return (
    <>
      <Select
        label="Action"
        placeholder="Any"
        clearable
        searchable
        w={240}
        value={chosen.action || null}
        onChange={(value) => change({ action: value })}
        data={[...NAMES, ...others(NAMES, chosen.action)]}
      />
      <Select
        label="By"
        placeholder="Anyone"
        clearable
        searchable
        w={240}
        value={chosen.by || null}
        onChange={(value) => change({ by: value })}
        data={[...operators, ...others(operators, chosen.by)]}
      />
      <DateField label="From" value={chosen.from} onChange={(value) => change({ from: value })} />
      <DateField label="To" value={chosen.to} onChange={(value) => change({ to: value })} />
    </>
  );
}
