import { formatDuration } from '../../ui/format';
import type { ListingDetail } from './agent-code';

const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`;

/** A warranty in words, with the months in which it was kept and broken. */
export function warrantyText({ warranty }: Pick<ListingDetail, 'warranty'>): string {
  if (!warranty) return 'None';
  const { success_rate: rate, p95_ms: p95, uptime, remedy_percent: remedy } = warranty;
  const promises = [
    rate !== undefined && `${percent(rate)} of paid calls succeed`,
    p95 !== undefined && `95% of calls take at most ${formatDuration(p95)}`,
    uptime !== undefined && `reached for ${percent(uptime)} of paid calls`,
  ].filter(Boolean);
  return `Each month ${promises.join(', ')}; else ${remedy}% of its cost is paid back. ${historyText(warranty)}`;
}

/** Such as `3 months kept, 1 broken`. */
export function historyText(warranty: NonNullable<ListingDetail['warranty']>): string {
  const { months_kept: kept, months_broken: broken } = warranty;
  return `${kept} ${kept === 1 ? 'month' : 'months'} kept, ${broken} broken`;
}
