/** Scans run in compiled code: `npm run build` first (`npm test` does). */
import { bundleOf } from '../../../test/support/verification/bundles';
import { createBundleScanner, type EndedReading, type ScannerOptions } from './bundle-scan';
import type { ScannedManifest } from './completeness';

const manifest = {
  description: 'An agent that converts units, for tests of scanners only.',
  tags: [],
  endpoint: { url: 'https://agent.example.com' },
  data_handling: { subprocessors: [] },
} as unknown as ScannedManifest;

const NO_ADVISORIES = {
  covered: () => Promise.resolve(new Map<never, never>()),
  lookup: () => Promise.resolve([]),
};

const KEY = `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ2bC4dF6hJ8'}`;
const ORDINARY = bundleOf({ 'index.js': 'module.exports = 1;\n' });
/** Is not read before a busy machine looks at the deadline. */
const LARGE = bundleOf({ 'index.js': 'module.exports = 1;\n'.repeat(100_000) });

function scannerOf(options: ScannerOptions = {}) {
  const scanner = createBundleScanner(options);
  return (bundle: Buffer, developer = 'one') =>
    scanner.scan({ bundle, manifest, advisories: NO_ADVISORIES, developer }, new AbortController().signal);
}

const gapsOf = ({ coverage }: { coverage: { looked: number; gaps: unknown } }) => [
  coverage.looked,
  coverage.gaps,
];

it('records the crash of its reader as evidence, without a crash of this process', async () => {
  const { static: code, supplyChain } = await scannerOf({ limits: { heapMb: 32 } })(
    bundleOf({ 'data.txt': 'x\n'.repeat(24 * 1024 * 1024) }),
  );
  const ended = [0, [{ code: 'reader_ended', count: 1 }]];
  expect(gapsOf(supplyChain.dependencies)).toEqual(ended);
  expect(gapsOf(supplyChain.malicious)).toEqual(ended);
  expect(gapsOf(code.vulnerabilities)).toEqual(ended);
  expect(code.completeness.descriptionLength).toBeGreaterThan(0);
});

it('reads a bundle that ended its reader only once, and keeps what was found', async () => {
  const kept = new Map<string, EndedReading>();
  const ended = {
    find: (sha256: string) => Promise.resolve(kept.get(sha256)),
    keep: async (sha256: string, reading: EndedReading) => void kept.set(sha256, reading),
  };
  const scan = (bundle: Buffer, options: ScannerOptions = {}) =>
    createBundleScanner(options).scan(
      { bundle, manifest, advisories: NO_ADVISORIES, developer: 'one', ended },
      new AbortController().signal,
    );
  const values = '{"a":1},'.repeat(900_000);
  const bundle = bundleOf({
    'package-lock.json': `[${values}1]`,
    'src/index.js': `const token = '${KEY}';\n`,
  });
  const first = await scan(bundle, { limits: { heapMb: 32 } });
  expect(first.static.secrets.found.items).toMatchObject([{ path: 'src/index.js' }]);
  expect(gapsOf(first.supplyChain.dependencies)).toEqual([0, [{ code: 'reader_ended', count: 1 }]]);
  expect(await scan(bundle)).toEqual(first);
  expect(kept.size).toBe(1);
}, 60_000);

it('reads a bundle again that missed its deadline', async () => {
  const kept: string[] = [];
  const ended = {
    find: () => Promise.resolve(undefined),
    keep: async (sha256: string) => void kept.push(sha256),
  };
  await createBundleScanner({ limits: { deadlineMs: 0 } }).scan(
    { bundle: LARGE, manifest, advisories: NO_ADVISORIES, developer: 'one', ended },
    new AbortController().signal,
  );
  expect(kept).toEqual([]);
});

it('records a missed deadline as evidence', async () => {
  const { static: code, supplyChain } = await scannerOf({ limits: { deadlineMs: 0 } })(LARGE);
  const slow = [0, [{ code: 'too_slow', count: 1 }]];
  expect([code.secrets, code.quality, supplyChain.pinning, supplyChain.malicious].map(gapsOf)).toEqual([
    slow,
    slow,
    slow,
    slow,
  ]);
});

it.each<[string, Record<string, string>]>([
  [
    'two deeply nested lockfiles',
    { 'a/pnpm-lock.yaml': '['.repeat(50_000), 'b/pnpm-lock.yaml': '{a: '.repeat(50_000) },
  ],
  ['short nested lines of YAML', { 'pnpm-lock.yaml': '[{'.repeat(500) }],
  ['a list of 4 MiB', { 'pnpm-lock.yaml': '- a\n'.repeat(1_048_576) }],
  ['a long dotted key', { 'poetry.lock': 'a.'.repeat(2_000_000) }],
  [
    'names that no database stores',
    { 'package.json': '{"dependencies":{"a\\u0000b":"1.0.0","\\ud800":"*"}}' },
  ],
])(
  'reads %s in seconds, and still finds secrets in other files',
  async (_what, files) => {
    const limits = { processorSeconds: 6 };
    const evidence = await scannerOf({ limits })(
      bundleOf({ ...files, 'src/index.js': `const token = '${KEY}';\n` }),
    );
    expect(evidence.static.secrets.found.items).toMatchObject([{ path: 'src/index.js' }]);
    expect(JSON.stringify(evidence)).not.toMatch(/\\u0000|\\ud800/);
  },
  120_000,
);

it('lets the bundle of another developer pass while those of one wait', async () => {
  const scan = scannerOf();
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  await Promise.all([
    ...[1, 2, 3].map((n) => scan(ORDINARY, 'many').then(note(`many ${n}`))),
    scan(ORDINARY, 'one').then(note('one')),
  ]);
  expect(order.indexOf('one')).toBeLessThan(2);
}, 60_000);
