import { createMetrics, type Metrics, type ReadFigure } from '../../src/kit/metrics';
import { addApiFigures, addWorkerFigures } from '../../src/workers/metric-figures';
import { code, generated, table } from './table';

interface Row {
  name: string;
  kind: string;
  labels: readonly string[];
  process: string;
  help: string;
}

/** The processes that count each metric of `src/kit/metrics.ts`; absent: the API. */
const COUNTED_BY: Record<string, string> = {
  market_calls_total: 'API, worker',
  market_call_duration_seconds: 'API, worker',
  market_job_duration_seconds: 'worker',
  market_call_overhead_seconds: 'API, worker',
  market_lease_sweep_calls_total: 'worker',
  market_delivery_attempts_total: 'worker',
};

/** docs/reference/metrics.md: every metric of the service. */
export async function metricsPage(): Promise<string> {
  const rows = [...(await countedRows()), ...readRows()].map(({ name, kind, labels, process, help }) => [
    code(name), kind, labels.map(code).join(', '), process, help,
  ]); // prettier-ignore
  return `${generated(
    'Metrics',
    '`src/kit/metrics.ts`, `src/workers/metric-figures.ts` and `src/workers/backlog-figures.ts`',
    'With `METRICS_PORT`, each process serves `GET /metrics` in the text format of Prometheus. The port has no authentication, so only your\nmonitoring may reach it. [Alerts and\ndashboards](../operators/alerts.md) use these metrics.',
    'Labels come from closed sets: no agent, account, address or id. Counters start at 0 with their process; sum them over all processes. The\nfigures of the database, from `market_calls_open` on, are those of the whole service: take the maximum over the workers. Metrics `process_…`\nand `nodejs_…` show memory, processor, garbage collection and the lag of the event loop; metrics `temporal_…` are those of the Temporal SDK.',
  )}

${table(['Metric', 'Type', 'Labels', 'Process', 'Meaning'], rows)}
`;
}

/** Metrics that count as things happen. Each happens once here, so that its labels show. */
async function countedRows(): Promise<Row[]> {
  const metrics = createMetrics();
  metrics.callEnded({
    surface: 'invoke',
    outcome: 'succeeded',
    code: null,
    seconds: 1,
    agentSeconds: 1,
  } as never);
  metrics.engineStarted('confirmed', 0.1);
  metrics.requestEnded({ method: 'GET', route: '/', status: 200, seconds: 0.1 });
  metrics.requestFailed('not_found');
  metrics.callsSwept(1);
  metrics.deliveryAttempted('delivered');
  const text = await metrics.text();
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name = '', help = '', kind = '']) => {
      const sample = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'm').exec(text)?.[1] ?? '';
      const labels = [...sample.matchAll(/(\w+)="/g)]
        .map(([, label = '']) => label)
        .filter((label) => label !== 'le');
      return { name, kind, labels, process: COUNTED_BY[name] ?? 'API', help };
    },
  );
}

/** Metrics that are read when they are scraped. Nothing is read here. */
function readRows(): Row[] {
  const rows = new Map<string, Row>();
  const collect = (process: string) => ({
    read({ name, kind, labelNames = [], help }: ReadFigure) {
      const row = rows.get(name);
      if (row) Object.assign(row, { process: 'API, worker' });
      else rows.set(name, { name, kind, labels: labelNames, process, help });
    },
  });
  const parts = (process: string) => ({ metrics: collect(process) as unknown as Metrics }) as never;
  addApiFigures(parts('API'), {} as never);
  addWorkerFigures(parts('worker'), []);
  return [...rows.values()];
}
