/** Alerts and dashboards name metrics that the service has, and every alert has a runbook and a test of promtool. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { metricsIn, readDashboards, readRules } from '../support/documents/monitoring';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The metrics of the reference page, which another test compares with the code. */
const OWN = [...read('docs/reference/metrics.md').matchAll(/^\| `(market_\w+)`/gm)].map(
  ([, name = '']) => name,
);
/** Metrics of libraries and of other exporters, as they were seen in scrapes of a running stack. */
const OTHERS = [
  'up',
  'nodejs_eventloop_lag_p99_seconds',
  'process_resident_memory_bytes',
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
  'temporal_activity_schedule_to_start_latency_seconds',
  'temporal_request_failure_total',
  'temporal_worker_task_slots_available',
  'temporal_workflow_completed_total',
  'temporal_workflow_task_schedule_to_start_latency_seconds',
];
const KNOWN = new Set([...OWN, ...OTHERS]);

/** Names of metrics in an expression that the service does not serve; an expression without a metric counts as one. */
function unknownIn(expression: string): string[] {
  const names = metricsIn(expression);
  return names.length > 0 ? names.filter((name) => !KNOWN.has(name)) : ['no metric'];
}

const rules = readRules();

it('finds a metric that the service does not serve', () => {
  expect(OWN.length).toBeGreaterThan(30);
  expect(unknownIn('max(market_lies) > 1')).toEqual(['market_lies']);
  expect(unknownIn('vector(1)')).toEqual(['no metric']);
});

it.each(rules)('$alert names metrics of the service, and has a runbook', ({ alert, expr, labels, annotations }) => {
  expect(unknownIn(expr)).toEqual([]);
  expect(['page', 'ticket']).toContain(labels.severity);
  const page = annotations.runbook_url.replace(/^\{\{ \$externalLabels\.marketplace \}\}\//, '');
  expect(existsSync(join(ROOT, `${page}.md`))).toBe(true);
  expect(read(`${page}.md`)).toContain(`\`${alert}\``);
}); // prettier-ignore

it('has a test of each alert, and of its silence while all is well', () => {
  const { tests } = parse(read('ops/prometheus/rules_test.yml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const cases = tests.flatMap((test) => test.alert_rule_test);
  const names = (fires: boolean) =>
    [...new Set(cases.flatMap((one) => (one.exp_alerts.length > 0 === fires ? [one.alertname] : [])))].sort();
  const alerts = rules.map(({ alert }) => alert).sort();
  expect(names(true)).toEqual(alerts);
  expect(names(false)).toEqual(alerts);
});

it.each(readDashboards())('the dashboard $file names metrics of the service', ({ panels }) => {
  expect(panels.length).toBeGreaterThan(5);
  for (const { title, targets } of panels)
    expect([title, targets.flatMap(({ expr }) => unknownIn(expr))]).toEqual([title, []]);
});
