import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * `npm run check:ops`: what operators load is checked by the tools that they use. kubeconform checks the manifests of
 * Kubernetes. promtool checks the alerts, runs their tests, and parses each expression of the dashboards. A tool that is not
 * on PATH is left out, with a sentence; docs/operators/kubernetes.md and docs/operators/alerts.md say where they come from.
 * kubeconform downloads its schemas, unless KUBERNETES_SCHEMAS names a place of them. The exit code is 1 when a check failed.
 */
const root = resolve(import.meta.dirname, '..');
const manifests = readdirSync(join(root, 'ops/kubernetes')).map((file) => join('ops/kubernetes', file));
const schemas = process.env.KUBERNETES_SCHEMAS;

check('kubeconform', 'the manifests of Kubernetes', [
  '-strict',
  '-summary',
  ...['-skip', 'Kustomization'],
  ...(schemas ? ['-schema-location', schemas] : []),
  ...manifests,
]);
if (check('promtool', 'the alerts and dashboards', ['check', 'rules', 'ops/prometheus/rules.yml'])) {
  check('promtool', 'the alerts', ['test', 'rules', 'ops/prometheus/rules_test.yml']);
  checkDashboards();
}

/** promtool reads files of rules and no dashboards, so each expression of a panel becomes a rule of a file of its own. */
function checkDashboards() {
  const folder = mkdtempSync(join(tmpdir(), 'market-dashboards-'));
  try {
    const files = readdirSync(join(root, 'ops/grafana')).map((file) => {
      const { panels } = JSON.parse(readFileSync(join(root, 'ops/grafana', file), 'utf8'));
      const rules = panels.flatMap(({ id, targets }) =>
        targets.map(({ expr }, at) => ({ record: `panel:${id}:${at}`, expr })),
      );
      const path = join(folder, file.replace(/json$/, 'yml'));
      writeFileSync(path, JSON.stringify({ groups: [{ name: file, rules }] }));
      return path;
    });
    check('promtool', 'the dashboards', ['check', 'rules', ...files]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a tool. Returns false if it is not installed. */
function check(tool, what, args) {
  const { error, status } = spawnSync(tool, args, { cwd: root, stdio: 'inherit' });
  const isMissing = error?.code === 'ENOENT';
  if (isMissing) console.log(`${tool} is not installed: it did not check ${what}.`);
  else if (error || status !== 0) process.exitCode = 1;
  return !isMissing;
}
