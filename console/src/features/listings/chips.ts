import type { Chip } from '../../ui/filter-chips';
import { formatCode, formatCredits } from '../../ui/format';
import type { Filters } from './filters';

/** The filters that are set, as a person reads them. */
export function chipsOf(value: Filters): Chip[] {
  return [
    value.q !== undefined && { field: 'q', text: `“${value.q}”` },
    value.category !== undefined && { field: 'category', text: formatCode(value.category) },
    value.badge !== undefined && { field: 'badge', text: `Badge ${formatCode(value.badge)}` },
    value.max_price !== undefined && {
      field: 'max_price',
      text: `Up to ${formatCredits(value.max_price)} credits`,
    },
    value.min_success_rate !== undefined && {
      field: 'min_success_rate',
      text: `At least ${Math.round(value.min_success_rate * 100)}% succeed`,
    },
    value.max_p50_ms !== undefined && { field: 'max_p50_ms', text: `Median up to ${value.max_p50_ms} ms` },
    value.streaming !== undefined && {
      field: 'streaming',
      text: value.streaming ? 'Streams' : 'Does not stream',
    },
    value.jobs !== undefined && { field: 'jobs', text: value.jobs ? 'Takes jobs' : 'Takes no jobs' },
    value.residency !== undefined && { field: 'residency', text: `Data in ${formatCode(value.residency)}` },
    value.max_retention_days !== undefined && {
      field: 'max_retention_days',
      text: `Keeps data up to ${value.max_retention_days} days`,
    },
    value.protocol !== undefined && { field: 'protocol', text: value.protocol.toUpperCase() },
    value.developer_id !== undefined && { field: 'developer_id', text: `By ${value.developer_id}` },
  ].filter((chip) => chip !== false);
}
