import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * `npm run check:ops`: what operators load is checked by the tools that they use. kubeconform checks the manifests of
 * Kubernetes, and promtool runs the tests of the alerts. A tool that is not on PATH is left out, with a sentence. Both can be
 * built with Go (docs/operators/kubernetes.md, docs/operators/alerts.md). kubeconform downloads its schemas, unless
 * KUBERNETES_SCHEMAS names a place of them. The exit code is 1 when a check failed.
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
check('promtool', 'the alerts of Prometheus', ['test', 'rules', 'ops/prometheus/rules_test.yml']);

function check(tool, what, args) {
  const { error, status } = spawnSync(tool, args, { cwd: root, stdio: 'inherit' });
  if (error?.code === 'ENOENT') console.log(`${tool} is not installed: ${what} were not checked by it.`);
  else if (error || status !== 0) process.exitCode = 1;
}
