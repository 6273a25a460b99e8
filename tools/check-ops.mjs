import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildGoTool } from './lib/go-tool.mjs';

/**
 * `npm run check:ops`: what operators load is checked by the tools that they use. compose-go loads docker-compose.yml,
 * and the types of Kubernetes its manifests: Go builds both once (tools/ops-check). kubectl builds what is applied,
 * kubeconform checks the manifests by its schemas. promtool checks the alerts, runs their tests, and parses each
 * expression of the dashboards. A tool that is not on PATH is left out, with a sentence; docs/operators/kubernetes.md
 * and docs/operators/alerts.md say where they come from. kubeconform downloads its schemas, unless KUBERNETES_SCHEMAS
 * names a place of them. The exit code is 1 when a check failed.
 */
const root = resolve(import.meta.dirname, '..');
const MANIFESTS = 'ops/kubernetes';
const manifests = readdirSync(join(root, MANIFESTS), { recursive: true })
  .filter((file) => file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'))
  .map((file) => join(MANIFESTS, file));
const schemas = process.env.KUBERNETES_SCHEMAS;

await checkByGo();
for (const folder of [MANIFESTS, join(MANIFESTS, 'migrate')])
  check('kubectl', `what ${folder} applies`, ['kustomize', folder], 'ignore');
check('kubeconform', 'the manifests of Kubernetes', [
  '-strict',
  '-summary',
  ...(schemas ? ['-schema-location', schemas] : []),
  ...manifests,
]);
if (check('promtool', 'the alerts and dashboards', ['check', 'rules', 'ops/prometheus/rules.yml'])) {
  check('promtool', 'the alerts', ['test', 'rules', 'ops/prometheus/rules_test.yml']);
  checkDashboards();
}

/** Runs the checks of tools/ops-check, and shows that they refuse a file with a mistake. */
async function checkByGo() {
  let binary;
  try {
    binary = await buildGoTool('ops-check');
  } catch (error) {
    console.log(`tools/ops-check cannot be built: ${error.message}`);
    process.exitCode = 1;
    return;
  }
  if (!binary) {
    console.log(
      'go is not installed: compose-go did not load docker-compose.yml, and the types of Kubernetes no manifest.',
    );
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'market-compose-'));
  try {
    // Every variable of the example has a value: none is missing there.
    const environment = join(folder, 'environment');
    const example = readFileSync(join(root, 'docker/compose.env.example'), 'utf8');
    writeFileSync(environment, example.replace(/^(\w+)=$/gm, '$1=filled'));
    check(binary, 'docker-compose.yml', ['compose', 'docker-compose.yml', environment]);
    const wrong = join(folder, 'docker-compose.yml');
    const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
    writeFileSync(wrong, text.replace(/^( +- )["'](fetch.*) : (.*)["']$/m, '$1$2: $3'));
    expectRefusal(binary, ['compose', wrong, environment]);
    check(binary, 'the manifests of Kubernetes', ['kubernetes', ...manifests]);
    const manifest = join(folder, 'manifest.yaml');
    writeFileSync(manifest, 'apiVersion: v1\nkind: Service\nmetadata: { nam: api }\n');
    expectRefusal(binary, ['kubernetes', manifest]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A check that accepts everything checks nothing. */
function expectRefusal(binary, args) {
  const { status } = spawnSync(binary, args, { cwd: root, stdio: 'ignore' });
  if (status === 1) return;
  console.log(`tools/ops-check ${args[0]} accepted a file with a mistake.`);
  process.exitCode = 1;
}

/**
 * promtool reads rule files only, so each expression of a dashboard panel is written as a rule of its own file.
 */
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
function check(tool, what, args, stdout = 'inherit') {
  const { error, status } = spawnSync(tool, args, { cwd: root, stdio: ['ignore', stdout, 'inherit'] });
  const isMissing = error?.code === 'ENOENT';
  if (isMissing) console.log(`${tool} is not installed: it did not check ${what}.`);
  else if (error || status !== 0) process.exitCode = 1;
  return !isMissing;
}
