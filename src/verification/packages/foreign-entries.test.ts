import { bundleOf } from '../../../test/support/verification/bundles';
import { isStorable } from '../../domain/json-value';
import { createBundleReader } from '../bundles/bundle-facts';
import type { ScannedManifest } from '../bundles/completeness';
import { matchAdvisories } from './advisories';

const manifest = {
  description: 'An agent.',
  tags: [],
  endpoint: { url: 'https://agent.example.com' },
  data_handling: { subprocessors: [] },
} as unknown as ScannedManifest;
const read = createBundleReader();
const scan = (files: Record<string, string>) => read(bundleOf(files), manifest);

const npmLock = (packages: Record<string, unknown>, version = 3) =>
  JSON.stringify({ lockfileVersion: version, packages });

async function namesOf(files: Record<string, string>): Promise<string[]> {
  const { packages } = await scan(files);
  return packages.map(({ name, version, isDev }) => `${name}@${version}${isDev ? ' dev' : ''}`);
}

const NUL = '\u0000';
const UNREADABLE = [
  ['a NUL', `left${NUL}pad`],
  ['a lone surrogate', 'a\ud800'],
  ['a character of no form', 'a\u200bb'],
  ['a line end', 'a\nb'],
  ['5,000 letters', 'x'.repeat(5_000)],
] as const;

describe('a name or version that cannot be read', () => {
  it.each(UNREADABLE)('is a gap in a lockfile and never a package: %s', async (_what, text) => {
    const lock = npmLock({
      'node_modules/good': { version: '1.0.0' },
      [`node_modules/${text}`]: { version: '1.0.0' },
      'node_modules/other': { version: text },
    });
    const { packages, supplyChain, skipped } = await scan({
      'package.json': '{"dependencies":{"good":"1.0.0"}}',
      'package-lock.json': lock,
    });
    expect(packages.map(({ name }) => name)).toEqual(['good']);
    expect(skipped).toMatchObject({ unreadable_packages: 2 });
    expect(supplyChain.licences.coverage.gaps).toContainEqual({ code: 'unreadable_packages', count: 2 });
  });

  it.each(UNREADABLE)('is a gap in package.json and never a package: %s', async (_what, text) => {
    const { packages, floating, skipped, nothingToDo } = await scan({
      'package.json': JSON.stringify({ dependencies: { [text]: '1.0.0', alias: `npm:${text}@1.0.0` } }),
    });
    expect([packages, floating, nothingToDo]).toEqual([[], 0, undefined]);
    expect(skipped).toMatchObject({ unreadable_packages: 2 });
  });

  it.each([
    ['yarn.lock', `# yarn lockfile v1\n\n"a${NUL}@1":\n  version "1.0.0"\n`],
    ['pnpm-lock.yaml', `lockfileVersion: '9.0'\npackages:\n  "a\\0@1.0.0": {}\n`],
    ['bun.lock', '{"lockfileVersion":1,"packages":{"a":["a\\u0000@1.0.0","",{}]}}'],
    ['poetry.lock', '[[package]]\nname = "a\\u0000"\nversion = "1.0"\n'],
    ['Pipfile.lock', '{"_meta":{},"default":{"a":{"version":"==1\\u0000"}}}'],
    ['node_modules/a/package.json', '{"name":"a\\u0000","version":"1.0.0"}'],
    ['requirements.txt', `${'a'.repeat(300)}==1.0\n`],
  ])('is a gap in %s', async (path, text) => {
    const facts = await scan({ [path]: text });
    expect(facts.packages).toEqual([]);
    expect(facts.skipped?.unreadable_packages).toBeGreaterThan(0);
    expect(facts.nothingToDo).toBeUndefined();
  });

  it('leaves names that the database can store, each once', async () => {
    const { packages } = await scan({
      'package-lock.json': npmLock({
        'node_modules/a\ud800': { version: '1.0.0' },
        'node_modules/a\ud801': { version: '1.0.0' },
        'node_modules/a\ufffd': { version: '1.0.0' },
        'node_modules/b': { version: '1.0.0' },
      }),
    });
    const keys = packages.map(({ name, version }) => Buffer.from(`${name} ${version}`).toString());
    expect(keys).toEqual(['b 1.0.0']);
    expect(keys.every(isStorable)).toBe(true);
  });

  it('counts among the packages that the advisories should cover', async () => {
    const { packages, floating, skipped } = await scan({
      'package-lock.json': npmLock({
        'node_modules/a\u0000': { version: '1.0.0' },
        'node_modules/b': { version: '1.0.0' },
      }),
    });
    const source = {
      covered: () => Promise.resolve(new Map([['npm', '2026-01-01']] as const)),
      lookup: () => Promise.resolve([]),
    };
    const { vulnerabilities, malicious } = await matchAdvisories(packages, floating, source, skipped);
    for (const { coverage } of [vulnerabilities, malicious])
      expect(coverage).toEqual({ wanted: 2, looked: 1, gaps: [{ code: 'unreadable_packages', count: 1 }] });
  });
});

it.each([
  '',
  ' ',
  '\t',
  '+',
  'Dual License',
  'OSI Approved ::',
  'MIT License / Dual License',
  'License :: ',
  '(',
  ')',
  'AND',
  '('.repeat(500),
  'WITH',
  '/ / / /',
  '\u0000',
  '\ud800',
  'a'.repeat(5_000),
  'a or '.repeat(100),
])('treats the licence %j of a package or of the agent as unknown', async (license) => {
  const lock = npmLock({ 'node_modules/a': { version: '1.0.0', license } });
  const files = {
    'package.json': JSON.stringify({ license, dependencies: { a: '1.0.0' } }),
    'package-lock.json': lock,
  };
  const { licences } = (await scan(files)).supplyChain;
  expect(licences.compatible).toBe(0);
  expect([
    ...licences.coverage.gaps.map(({ code }) => code),
    ...licences.found.items.map(({ verdict }) => verdict),
  ]).toHaveLength(1);
  expect(licences.found.items.every(({ verdict }) => verdict === 'review')).toBe(true);
});

it('lists at most 25,000 packages and 50 versions of one package, and counts those that it left out', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 26_000 }, (_, at) => [`node_modules/p${at}`, { version: '1.0.0' }]),
  );
  const versions = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`node_modules/q${at}/node_modules/a`, { version: `${at}.0.0` }]),
  );
  const files = {
    'package.json': '{"dependencies":{"p25999":"1.0.0"}}',
    'package-lock.json': npmLock({ ...versions, ...many }),
  };
  const { packages, skipped } = await scan(files);
  expect(packages).toHaveLength(25_000);
  expect(packages.filter(({ name }) => name === 'a')).toHaveLength(50);
  expect(packages.find(({ name }) => name === 'p25999')).toMatchObject({ isDirect: true });
  expect(skipped).toMatchObject({ too_many_packages: 1_060 });
});

it('reads a lockfile of 5 MiB', async () => {
  const packages = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [
      `node_modules/p${at}`,
      { version: '1.0.0', integrity: 'sha512-'.padEnd(210, 'x') },
    ]),
  );
  const lock = npmLock(packages);
  expect(lock.length).toBeGreaterThan(5 * 1024 * 1024);
  const { supplyChain } = await scan({
    'package.json': '{"dependencies":{"p1":"1"}}',
    'package-lock.json': lock,
  });
  expect(supplyChain.lockfiles).toMatchObject({
    coverage: { looked: 1, gaps: [] },
    found: [{ packages: 20_000 }],
  });
});

describe('several documents of pnpm-lock.yaml', () => {
  const own = `---\nlockfileVersion: '9.0'\nimporters: {.: {configDependencies: {}, packageManagerDependencies: {pnpm: {specifier: 12.4.0, version: 12.4.0}}}}\npackages: {pnpm@12.4.0: {resolution: {integrity: sha512-AA==}}}\n`;
  const project = `---\nlockfileVersion: '9.0'\nimporters: {.: {dependencies: {minimist: {specifier: 0.0.8, version: 0.0.8}}}}\npackages: {minimist@0.0.8: {resolution: {integrity: sha512-BB==}}}\nsnapshots: {minimist@0.0.8: {}}\n`;
  const files = (lock: string) => ({
    'package.json': '{"dependencies":{"minimist":"0.0.8"}}',
    'pnpm-lock.yaml': lock,
  });

  it.each([
    ['the project last', own + project],
    ['the project first', project + own],
  ])('are all read: %s', async (_what, lock) => {
    const { packages, supplyChain } = await scan(files(lock));
    expect(packages.map(({ name, version }) => `${name}@${version}`)).toEqual([
      'minimist@0.0.8',
      'pnpm@12.4.0',
    ]);
    expect(supplyChain.lockfiles.coverage).toEqual({ wanted: 1, looked: 1, gaps: [] });
    expect(supplyChain.lockfiles.disagreements.total).toBe(0);
  });

  it.each([
    ['that is no lockfile', `${project}---\nhello: 1\n`],
    ['that is a text', `${project}---\nhello\n`],
    ['that is no YAML', `${project}---\na: [\n`],
  ])('are a gap with one %s', async (_what, lock) => {
    const { lockfiles } = (await scan(files(lock))).supplyChain;
    expect(lockfiles.coverage).toMatchObject({
      looked: 0,
      gaps: [{ code: 'unreadable_lockfile', count: 1 }],
    });
  });
});

const NPM_MANIFEST = '{"dependencies":{"a":"1.0.0"}}';
const PYTHON_MANIFEST = '[project]\nname = "x"\ndependencies = ["a==1.0"]\n';
const LOCKS: [path: string, text: string][] = [
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'\npackages:\n  a@1.0.0: {}\n"],
  ['yarn.lock', '# yarn lockfile v1\n\na@1.0.0:\n  version "1.0.0"\n'],
  [
    'yarn.lock',
    '__metadata:\n  version: 8\n\n"a@npm:1.0.0":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n',
  ],
  ['package-lock.json', '{\n"lockfileVersion":3,\n"packages":{\n"node_modules/a":{"version":"1.0.0"}\n}}\n'],
  ['bun.lock', '{\n"lockfileVersion":1,\n"packages":{\n"a":["a@1.0.0","",{}],\n},}\n'],
  ['poetry.lock', '[[package]]\nname = "a"\nversion = "1.0"\n'],
  ['uv.lock', 'version = 1\n[[package]]\nname = "a"\nversion = "1.0"\n'],
  ['Pipfile.lock', '{\n"_meta":{},\n"default":{"a":{"version":"==1.0"}}\n}\n'],
];
const isPython = (path: string) => /poetry|uv|Pip|requirements/.test(path);

describe.each(LOCKS)('an unfinished merge in %s', (path, text) => {
  const manifestOf = isPython(path)
    ? { 'pyproject.toml': PYTHON_MANIFEST }
    : { 'package.json': NPM_MANIFEST };

  it('is read without it', async () => {
    const { lockfiles } = (await scan({ ...manifestOf, [path]: text })).supplyChain;
    expect(lockfiles.coverage).toEqual({ wanted: 1, looked: 1, gaps: [] });
  });

  it.each([
    ['all marks', (lines: string[]) => ['<<<<<<< HEAD', ...lines, '=======', '>>>>>>> theirs']],
    ['a mark in the middle', (lines: string[]) => [...lines.slice(0, 2), '<<<<<<< HEAD', ...lines.slice(2)]],
    ['a mark at the end', (lines: string[]) => [...lines, '>>>>>>> 98e8ff1 (main)', '']],
    ['Windows line ends', (lines: string[]) => [...lines.map((line) => `${line}\r`), '<<<<<<< HEAD\r', '']],
  ])('makes it unreadable: %s', async (_what, edit) => {
    const { lockfiles } = (await scan({ ...manifestOf, [path]: edit(text.split('\n')).join('\n') }))
      .supplyChain;
    expect(lockfiles.coverage.looked).toBe(0);
    expect(lockfiles.coverage.gaps.map(({ code }) => code)).toEqual(['unreadable_lockfile']);
  });
});

it.each([
  ['requirements.txt', 'a==1.0\n<<<<<<< HEAD\nb==1.0\n=======\nb==2.0\n>>>>>>> x\n', 'unreadable_lockfile'],
  ['requirements.txt', 'a==1.0\n== 2\n', 'unreadable_lockfile'],
  ['package.json', '{\n<<<<<<< HEAD\n"dependencies":{"a":"1.0.0"}}', 'unreadable_manifest'],
  ['package.json', '{"dependencies":{"a":"1.0.0"},}', 'unreadable_manifest'],
  ['pyproject.toml', `${PYTHON_MANIFEST}\n=======\n`, 'unreadable_manifest'],
  ['Pipfile', '[packages\na = "1"', 'unreadable_manifest'],
  ['agent.py', '# /// script\n# dependencies = [\n# ///\n', 'unreadable_manifest'],
  ['pnpm-lock.yaml', '<<<<<<< HEAD\n', 'unreadable_lockfile'],
  ['package-lock.json', '{"lockfileVersion":3,"packages":[]}', 'unreadable_lockfile'],
])('a bundle with %s alone, which cannot be read, is not examined whole', async (path, text, code) => {
  const { supplyChain, nothingToDo } = await scan({ [path]: text });
  expect(nothingToDo).toBeUndefined();
  const { coverage } = supplyChain.lockfiles;
  expect(coverage.looked).toBeLessThan(coverage.wanted);
  expect(coverage.gaps.map((gap) => gap.code)).toContain(code);
});

it.each([
  ['-rbase.txt', 'base.txt'],
  ['-r "my base.txt"', 'my base.txt'],
  ["-r 'base.txt'", 'base.txt'],
  ['-r=base.txt', 'base.txt'],
  ['--requirement=base.txt', 'base.txt'],
  ['--requirement "base.txt"', 'base.txt'],
  ['--req base.txt', 'base.txt'],
  ['-r \\\nbase.txt', 'base.txt'],
  ['--index-url https://pypi.org/simple -rbase.txt', 'base.txt'],
])('requirements.txt includes by %s', async (line, path) => {
  expect(await namesOf({ 'requirements.txt': `${line}\nflask==2.0.0\n`, [path]: 'django==1.0\n' })).toEqual([
    'django@1.0',
    'flask@2.0.0',
  ]);
});

it.each(['-cconstraints.txt', '--constraint=constraints.txt', '-c "constraints.txt"'])(
  'requirements.txt takes versions from constraints by %s',
  async (line) => {
    const files = {
      'requirements.txt': `${line}\nflask\n`,
      'constraints.txt': 'flask==2.0.0\ndjango==1.0\n',
    };
    expect(await namesOf(files)).toEqual(['flask@2.0.0']);
  },
);

it('reads requirements with a fragment, and names addresses by theirs', async () => {
  const { packages, supplyChain } = await scan({
    'requirements.txt': 'Django==1.0#egg=x\ngit+https://github.com/a/b.git@main#egg=named&subdirectory=c\n',
  });
  expect(packages.map(({ name, version }) => `${name}@${version}`)).toEqual(['django@1.0']);
  expect(supplyChain.pinning.floating.items.map(({ name }) => name)).toEqual(['named']);
});

it('reads the inline metadata of a script', async () => {
  const script =
    '#!/usr/bin/env python\n# /// script\n# requires-python = ">=3.11"\n# dependencies = [\n#   "requests==2.19.0",\n#   "rich>=1",\n# ]\n# ///\nprint(1)\n';
  const { packages, supplyChain, nothingToDo } = await scan({ 'agent.py': script });
  expect(packages.map(({ name, version }) => `${name}@${version}`)).toEqual(['requests@2.19.0']);
  expect(supplyChain.pinning.floating.items.map(({ name }) => name)).toEqual(['rich']);
  expect(nothingToDo).toBeUndefined();
  const none = await scan({ 'agent.py': '# /// script\n# requires-python = ">=3.11"\n# ///\n' });
  expect(none.nothingToDo).toEqual({ wanted: 1, looked: 1, gaps: [] });
});

it('reads lists of setup.py with brackets in strings, comments and a second list', async () => {
  const setup = `# install_requires=["no==1"]\nsetup(install_requires=[\n  "requests[socks]==2.19.0",  # a ] comment\n  'django==1.0',\n])\nextra = dict(install_requires=("flask==2.0",))\n`;
  expect(await namesOf({ 'setup.py': setup })).toEqual(['django@1.0', 'flask@2.0', 'requests@2.19.0']);
});

describe('groups of poetry', () => {
  const groups = `[tool.poetry]\nname = "x"\n[tool.poetry.group.api.dependencies]\ndjango = "1.0"\n[tool.poetry.group.test.dependencies]\npytest = "7.0"\n[tool.poetry.group.unit-tests.dependencies]\nmock = "1.0"\n[tool.poetry.group.gpu]\noptional = true\n[tool.poetry.group.gpu.dependencies]\ntorch = "2.0"\n`;

  it('belong to production unless they are optional or named for development', async () => {
    expect(await namesOf({ 'pyproject.toml': groups })).toEqual([
      'django@1.0',
      'mock@1.0 dev',
      'pytest@7.0 dev',
      'torch@2.0 dev',
    ]);
  });

  it('belong to production in poetry.lock, too', async () => {
    const entry = (name: string, version: string, group: string) =>
      `[[package]]\nname = "${name}"\nversion = "${version}"\ngroups = ["${group}"]\n`;
    const lock = entry('django', '1.0', 'api') + entry('pytest', '7.0', 'test');
    expect(await namesOf({ 'pyproject.toml': groups, 'poetry.lock': lock })).toEqual(
      expect.arrayContaining(['django@1.0', 'pytest@7.0 dev']),
    );
  });
});

it('compares a version with a local part to a number beyond the exact integers', async () => {
  const { packages } = await scan({
    'pyproject.toml': '[project]\nname = "x"\ndependencies = ["torch>=9999999999999999999999"]\n',
    'poetry.lock': '[[package]]\nname = "torch"\nversion = "2.0+cu118"\n',
  });
  expect(packages.map(({ version }) => version)).toEqual(['2.0+cu118']);
});
