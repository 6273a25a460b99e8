import { useQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { get } from '../../client/queries';
import { isolated } from '../../ui/isolated';
import { LogFilters, useLogFilter } from '../../ui/log-filters';
import { operationWords } from './operation-words';

type LogQuery = NonNullable<Input<'/v1/organisations/{org_id}/log', 'get'>['query']>;
const OPERATION = /^[A-Za-z0-9]{1,80}$/;

/** The filters that the address of the page holds. */
export function useOrganisationLogFilter(): LogQuery {
  const { deed: operation, by, since, until } = useLogFilter('operation', OPERATION);
  return {
    ...(operation !== undefined && { operation }),
    ...(by !== undefined && { user_id: by }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** The address of the CSV with the same entries. */
export function csvPathOf(orgId: string, filter: LogQuery): string {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
  return `/v1/organisations/${orgId}/log.csv${query.size > 0 ? `?${query.toString()}` : ''}`;
}

interface OrganisationLogFiltersProps {
  orgId: string;
  /** Operations of the entries that are shown, and the chosen one. */
  operations: readonly string[];
}

/** Which entries of the log are listed: by action, member and day. */
export function OrganisationLogFilters({ orgId, operations }: OrganisationLogFiltersProps) {
  const path = { org_id: orgId };
  const { data } = useQuery(get('/v1/organisations/{org_id}/members', { path, query: { limit: 100 } }));
  const members = (data?.items ?? []).map(({ user_id: value, name }) => ({ value, label: isolated(name) }));
  const deeds = [...new Set(operations)]
    .map((value) => ({ value, label: operationWords(value) }))
    .sort((a, b) => a.label.localeCompare(b.label));
  return <LogFilters name="operation" deeds={deeds} people={members} />;
}
