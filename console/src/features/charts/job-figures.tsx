import { formatDuration, formatWhole } from '../../ui/format';
import { Figure } from '../../ui/page';

interface Jobs {
  count: number;
  p50_ms: number | null;
  p95_ms: number | null;
}

/** How long jobs took, which is in no figure of calls. Nothing without jobs. */
export function JobFigures({ jobs }: { jobs: Jobs }) {
  if (jobs.p50_ms === null) return null;
  return (
    <Figure
      name="Median of jobs"
      note={`${formatWhole(jobs.count)} jobs, 95% within ${formatDuration(jobs.p95_ms ?? jobs.p50_ms)}`}
    >
      {formatDuration(jobs.p50_ms)}
    </Figure>
  );
}
