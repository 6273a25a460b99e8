import { bundleOf } from '../../../test/support/verification/bundles';
import { createBundleReader } from '../bundles/bundle-facts';
import type { ScannedManifest } from '../bundles/completeness';

const manifest = {
  description: 'An agent.',
  tags: [],
  endpoint: { url: 'https://agent.example.com' },
  data_handling: { subprocessors: [] },
} as unknown as ScannedManifest;
const read = createBundleReader();

const range = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const lines = (count: number, make: (index: number) => string) => range(count, make).join('\n');
const npmLock = (packages: Record<string, unknown>) => JSON.stringify({ lockfileVersion: 3, packages });

/** Bundles by a size: each made its reader take time in proportion to the square of the size, or worse. */
const GROWING: Record<string, (size: number) => Record<string, string>> = {
  'nested YAML': (size) => ({ 'pnpm-lock.yaml': '[{'.repeat(size * 40) }),
  'a map of YAML': (size) => ({ 'pnpm-lock.yaml': lines(size * 40, (at) => `k${at}: 1`) }),
  'continued lines of requirements': (size) => ({ 'requirements.txt': '\\\n'.repeat(size * 100) }),
  'versions of one requirement': (size) => ({ 'requirements.txt': lines(size * 20, (at) => `a==${at}`) }),
  'ranges of one requirement': (size) => ({
    'requirements.txt': lines(size * 20, (at) => `a>=${at}\na==${at}`),
  }),
  'a long version': (size) => ({ 'requirements.txt': `a==${'1.'.repeat(size * 100)}1` }),
  'requirements that include each other': (size) =>
    Object.fromEntries(range(size, (at) => [`requirements/r${at}.txt`, `-r r${at + 1}.txt\na${at}==1\n`])),
  'constraints of many files': (size) => ({
    ...Object.fromEntries(range(size, (at) => [`requirements/r${at}.txt`, `-c ../c.txt\na${at}\n`])),
    'c.txt': lines(size * 20, (at) => `a${at}==1`),
  }),
  'versions in yarn.lock': (size) => ({
    'package.json': '{"dependencies":{"a":"*"}}',
    'yarn.lock': `# yarn lockfile v1\n\n${lines(size * 10, (at) => `a@${at}:\n  version "${at}.0.0"\n`)}`,
  }),
  'comments of yarn.lock': (size) => ({ 'yarn.lock': `${'# '.repeat(size * 20)}\n!` }),
  'blanks in yarn.lock': (size) => ({
    'yarn.lock': `# yarn lockfile v1\na@1:\n  version "1.0.0"\n  dependencies:\n    b ${' '.repeat(size * 100)}x"y\n`,
  }),
  'versions in package-lock.json': (size) => ({
    'package-lock.json': npmLock(
      Object.fromEntries(
        range(size * 10, (at) => [`node_modules/b${at}/node_modules/a`, { version: `${at}.0.0` }]),
      ),
    ),
  }),
  'licences in package-lock.json': (size) => ({
    'package-lock.json': npmLock(
      Object.fromEntries(
        range(size * 5, (at) => [
          `node_modules/b${at}`,
          { version: '1.0.0', license: `x${at}${'/MIT'.repeat(60)}/?` },
        ]),
      ),
    ),
  }),
  'hosts in package-lock.json': (size) => ({
    'package-lock.json': npmLock(
      Object.fromEntries(
        range(size * 10, (at) => [
          `node_modules/b${at}`,
          { version: '1.0.0', resolved: `https://h${at}.evil.io/b.tgz` },
        ]),
      ),
    ),
  }),
  'importers of pnpm-lock.yaml': (size) => ({
    'pnpm-lock.yaml': `lockfileVersion: '9.0'\nimporters:\n${lines(size * 10, (at) => `  p${at}: {dependencies: {a: ${at}.0.0}}`)}`,
  }),
  'dependencies that yarn.lock overrides': (size) => ({
    'package.json': '{"dependencies":{"a":"9"}}',
    'yarn.lock': `# yarn lockfile v1\n\n${lines(size * 5, (at) => `a@${at}:\n  version "${at}.0.0"\n  dependencies:\n    a "x${at}"\n`)}`,
  }),
  'comments of bun.lock': (size) => ({ 'bun.lock': '/*'.repeat(size * 100) }),
  'places of bun.lock': (size) => ({
    'bun.lock': JSON.stringify({
      lockfileVersion: 1,
      workspaces: { '': { dependencies: { a: '1' } } },
      packages: Object.fromEntries(
        range(size, (at) => [
          range(at % 900, () => 'a').join('/') || 'a',
          ['a@1.0.0', '', { dependencies: { q: '1' } }],
        ]),
      ),
    }),
  }),
  'lists of setup.py': (size) => ({ 'setup.py': 'install_requires=['.repeat(size * 20) }),
  'manifests beside lockfiles': (size) =>
    Object.fromEntries(
      range(Math.min(2_400, size), (at): [string, string][] => [
        [`p${at}/package.json`, '{"dependencies":{"a":"1"}}'],
        [`p${at}/package-lock.json`, npmLock({ 'node_modules/a': { version: '1.0.0' } })],
      ]).flat(),
    ),
  'templates of JavaScript': (size) => ({ 'a.js': `eval(x)\n${'`\\'.repeat(size * 100)}` }),
  'strings that are not joined': (size) => ({ 'a.js': `[${`"a"${' '.repeat(30)}`.repeat(size)}x` }),
  'an import of Python': (size) => ({ 'a.py': `from ${'.'.repeat(size * 20)} x`, 'tests/b.py': '' }),
  'blanks in an import of Python': (size) => ({
    'a.py': `from a import b${' '.repeat(size * 20)}c\nfrom${' '.repeat(size * 20)}x`,
    'tests/b.py': '',
  }),
  'hosts in one line': (size) => ({
    'a.js': lines(1, () => range(size * 20, (at) => `"https://h${at}.io"`).join(' ')),
  }),
  'keywords in one line': (size) => ({ 'a.js': `${'password'.padEnd(400)}`.repeat(size) }),
  'words with dots': (size) => ({ 'a.txt': 'a.'.repeat(size * 100) }),
  'keys of TOML': (size) => ({ 'poetry.lock': `${'a.'.repeat(size * 100)}a = 1` }),
};

/** Processor time of this process in ms, so that other processes of the machine do not count. */
async function timeOf(files: Record<string, string>): Promise<number> {
  const bundle = bundleOf(files);
  const before = process.cpuUsage();
  await read(bundle, manifest);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const SIZE = 250;

/** A reader that needs four times as long for twice as much needs 64 times as long for eight times as much. */
it.each(Object.entries(GROWING))(
  'reads %s in time proportional to their size',
  async (_what, make) => {
    await timeOf(make(10));
    const small = Math.max(await timeOf(make(SIZE)), 20);
    const large = await timeOf(make(SIZE * 8));
    expect(large / small).toBeLessThan(25);
  },
  60_000,
);
