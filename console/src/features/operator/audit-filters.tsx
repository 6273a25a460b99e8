import { useQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { get } from '../../client/queries';
import { isolated } from '../../ui/isolated';
import { LogFilters, useLogFilter } from '../../ui/log-filters';
import { AUDIT_NAMES } from './audit-names';

export type AuditQuery = NonNullable<Input<'/v1/operator/actions', 'get'>['query']>;
const ACTION = /^[a-z_]+\.[a-z_]+$/;
const NAMES = Object.entries(AUDIT_NAMES)
  .map(([value, label]) => ({ value, label }))
  .sort((a, b) => a.label.localeCompare(b.label));

/** The filters that the address of the page holds. */
export function useAuditFilter(): AuditQuery {
  const { deed: action, by, since, until } = useLogFilter('action', ACTION);
  return {
    ...(action !== undefined && { action }),
    ...(by !== undefined && { operator_user_id: by }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** Which entries of the audit log are listed: by action, operator and day. */
export function AuditFilters() {
  const { data } = useQuery(get('/v1/operator/accounts', { query: { role: 'operator', limit: 100 } }));
  const operators = (data?.items ?? []).map((one) => ({
    value: one.user_id,
    label: `${isolated(one.display_name)} (${one.email})`,
  }));
  return <LogFilters name="action" deeds={NAMES} people={operators} />;
}
