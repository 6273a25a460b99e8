import { formatShare, formatWhole } from '../../ui/format.ts';

interface Stats {
  invocations_30d: number;
  few_calls: boolean;
  success_rate: number | null;
}

const callsText = (calls: number) => (calls === 1 ? '1 paid call' : `${formatWhole(calls)} paid calls`);

/** The share of the calls that succeed; "few calls" while fewer than ten buyers made them. */
export function successText({ invocations_30d: calls, few_calls: few, success_rate: rate }: Stats): string {
  if (calls === 0) return 'No paid calls yet';
  if (few || rate === null) return `Few calls: ${callsText(calls)} so far`;
  return formatShare(rate);
}

/** What a card says of the calls: "91.5% succeed" and "1,002 paid calls in 30 days", or that they are few. */
export function cardFacts(stats: Stats): string[] {
  const { invocations_30d: calls, few_calls: few, success_rate: rate } = stats;
  if (few || rate === null) return [successText(stats)];
  return [`${formatShare(rate)} succeed`, `${callsText(calls)} in 30 days`];
}
