/** `/openapi.json` by generators of clients that others wrote: what they make of it compiles. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { httpStatus } from '../../src/api/answers/http-status';
import { openapiDocument } from '../../src/contract/openapi';
import { operations } from '../../src/contract/operations';

const ROOT = resolve(__dirname, '../..');
const run = promisify(execFile);
/** Generators are installed once for all runs, each into a folder that is moved to its place when it is whole. */
const CACHE = join(tmpdir(), 'agent-marketplace-generators');
const OAPI_CODEGEN = 'v2.8.2';
const GO_RUNTIME = 'v1.9.0';
const HEY_API = ['@hey-api/openapi-ts@0.95.0', 'typescript@5.9.3'];
const PYTHON_CLIENT = 'openapi-python-client==0.29.1';

type Install = (folder: string) => [command: string, args: string[], env?: NodeJS.ProcessEnv][];

/** The folder of a generator, or why this machine cannot get it. */
function obtain(name: string, install: Install): { folder: string; missing?: string } {
  const folder = join(CACHE, name.replaceAll(/[^\w.-]/g, '_'));
  if (existsSync(folder)) return { folder };
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  for (const [command, args, env] of install(draft)) {
    const options = {
      cwd: draft,
      timeout: 300_000,
      encoding: 'utf8' as const,
      env: { ...process.env, ...env },
    };
    const { status, stderr, error } = spawnSync(command, args, options);
    if (status === 0) continue;
    rmSync(draft, { recursive: true, force: true });
    return { folder, missing: error?.message ?? stderr.trim().split('\n').at(-1) ?? `${command} failed` };
  }
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
  return { folder };
}

const go = obtain(`oapi-codegen-${OAPI_CODEGEN}`, (folder) => [
  ['go', ['install', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${OAPI_CODEGEN}`], { GOBIN: folder }],
]); // prettier-ignore
const heyApi = obtain(HEY_API.join(), () => [
  ['npm', ['install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', ...HEY_API]],
]);
// A virtual environment cannot be moved, so the packages have a folder of their own.
const python = obtain(PYTHON_CLIENT, (folder) => [
  ['python3', ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', folder, PYTHON_CLIENT]],
]); // prettier-ignore

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-generated-'));
  const document = openapiDocument(operations, { version: '1.0.0', statusOf: httpStatus });
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A test of a generator; without it the test is left out with the reason in its name. */
function generator(name: string, tool: { missing?: string }, test: () => Promise<void>): void {
  if (tool.missing === undefined) return it(name, test, 600_000);
  console.warn(`left out: ${name}: this machine cannot get it: ${tool.missing}`);
  it.skip(`${name}: left out, this machine cannot get it (${tool.missing})`, test);
}

const compile = (file: string, more: string[] = []) =>
  run(
    process.execPath,
    [join(ROOT, 'node_modules/typescript-5/bin/tsc'), '--noEmit', '--strict', '--target', 'es2022',
      '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable', ...more, file],
    { cwd: folder },
  ).catch((error: { stdout: string }) => error); // prettier-ignore

generator('oapi-codegen (Go) generates a client that compiles', go, async () => {
  const module = join(folder, 'market');
  mkdirSync(module);
  const env = { ...process.env, GOFLAGS: '-mod=mod' };
  const settings = ['-package', 'market', '-generate', 'types,client', '-o', join(module, 'client.go')];
  await run(join(go.folder, 'oapi-codegen'), [...settings, join(folder, 'openapi.json')]);
  await run('go', ['mod', 'init', 'example.com/market'], { cwd: module, env });
  await run('go', ['get', `github.com/oapi-codegen/runtime@${GO_RUNTIME}`], { cwd: module, env });
  await run('go', ['build', './...'], { cwd: module, env });
});

generator('openapi-typescript generates types that compile', {}, async () => {
  const tool = join(ROOT, 'packages/client/node_modules/openapi-typescript/bin/cli.js');
  await run(process.execPath, [tool, 'openapi.json', '-o', 'types.d.ts'], { cwd: folder });
  expect((await compile('types.d.ts')).stdout).toBe('');
});

generator('@hey-api/openapi-ts generates a client that compiles', heyApi, async () => {
  const tool = join(heyApi.folder, 'node_modules/.bin/openapi-ts');
  await run(
    tool,
    ['-i', join(folder, 'openapi.json'), '-o', join(folder, 'hey'), '-c', '@hey-api/client-fetch'],
    {
      cwd: heyApi.folder,
    },
  );
  expect((await compile('hey/index.ts')).stdout).toBe('');
});

generator('openapi-python-client generates modules that can be imported', python, async () => {
  const env = { ...process.env, PYTHONPATH: `${python.folder}:${folder}` };
  const settings = ['--path', 'openapi.json', '--output-path', 'generated', '--meta', 'none'];
  const told = await run('python3', ['-m', 'openapi_python_client', 'generate', ...settings], {
    cwd: folder,
    env,
  });
  expect(told.stdout + told.stderr).not.toContain('Endpoint will not be generated');
  const program = `
import importlib, pkgutil, generated
names = [module.name for module in pkgutil.walk_packages(generated.__path__, "generated.")]
for name in names: importlib.import_module(name)
print(len(names))`;
  const { stdout } = await run('python3', ['-c', program], { cwd: folder, env });
  expect(Number(stdout)).toBeGreaterThan(300);
});
