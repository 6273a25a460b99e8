import { formatShare, formatWhole } from '../../ui/format.ts';

interface Stats {
  invocations_30d: number;
  success_rate: number | null;
}

/** Fewer calls are no share: one wrong input would be "0% succeed". */
const LEAST_CALLS = 10;

const callsText = (calls: number) => (calls === 1 ? '1 paid call' : `${formatWhole(calls)} paid calls`);

/** The share of the calls that succeed; how many there are so far while they are few. */
export function successText({ invocations_30d: calls, success_rate: rate }: Stats): string {
  if (calls === 0) return 'No paid calls yet';
  if (rate === null || calls < LEAST_CALLS) return `${callsText(calls)} so far`;
  return formatShare(rate);
}

/** What a card says of the calls: "91.5% succeed" and "1,002 paid calls in 30 days", or "1 paid call so far". */
export function cardFacts(stats: Stats): string[] {
  const { invocations_30d: calls, success_rate: rate } = stats;
  if (rate === null || calls < LEAST_CALLS) return [successText(stats)];
  return [`${formatShare(rate)} succeed`, `${callsText(calls)} in 30 days`];
}
