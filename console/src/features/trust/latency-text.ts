import type { Answer } from '../../client/http';
import { formatDuration } from '../../ui/format';

type Latency = Answer<'/v1/agents/{agent_id}/trust-report', 'get'>['latency'];

/** How long the probes of a run took to be answered, or to be accepted as jobs. */
export function latencyText({ p50_ms: p50, p95_ms: p95, p99_ms: p99 }: Latency): string {
  if (p50 === null || p95 === null || p99 === null) return 'No probe was answered';
  return `${formatDuration(p50)} (p50), ${formatDuration(p95)} (p95), ${formatDuration(p99)} (p99)`;
}

/** A row that says how long jobs took, if the agent took probes as jobs. */
export function jobsRow({ jobs }: Latency): [string, string][] {
  if (!jobs) return [];
  const { p50_ms: p50, p95_ms: p95 } = jobs;
  if (p50 === null || p95 === null) return [['Jobs took', 'No job was answered']];
  return [['Jobs took', `${formatDuration(p50)} (p50), ${formatDuration(p95)} (p95)`]];
}
