import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgress, type Egress } from '../../../src/egress/agent-call';
import { createOsvSource } from '../../../src/egress/osv-source';
import { createLogger } from '../../../src/logger';
import { type AdvisoryFeed, createAdvisoryFeed } from '../../../src/services/verification/advisory-feed';
import { createBundleScans } from '../../../src/services/verification/bundle-scans';
import { createBundleScanner, type ScannerOptions } from '../../../src/verification/bundles/bundle-scan';
import { bundleOf, zipOf } from '../../support/verification/bundles';
import { egressSettings } from '../../support/stack/egress';
import { type OsvBucket, startOsvBucket } from '../../support/verification/osv-bucket';
import { eventually, type LiveAgent, putLive, register, startMarket } from '../../support/market';
import { useMarket } from '../../support/use-market';

const URL = 'https://127.77.0.1:9443';

const market = useMarket({ operations: false });
let folder: string;
let developer: { userId: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-osv-'));
  developer = await register(market, 'developer');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

function record(id: string, name: string, fixed: string, more: object = {}): object {
  return {
    id,
    modified: '2025-01-01T00:00:00Z',
    summary: `A record about ${name}`,
    database_specific: { severity: 'HIGH' },
    affected: [
      {
        package: { ecosystem: 'npm', name },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }],
      },
    ],
    ...more,
  };
}

/** A directory with one file for each record. */
function folderOf(name: string, records: object[]): string {
  const directory = join(folder, name);
  mkdirSync(join(directory, 'below'), { recursive: true });
  for (const [index, one] of records.entries())
    writeFileSync(join(directory, index % 2 === 0 ? 'below' : '.', `${index}.json`), JSON.stringify(one));
  return directory;
}

async function agentPinning(name: string, version: string, isDev = false): Promise<LiveAgent> {
  const agent = await putLive(market, developer.userId, URL);
  const group = isDev ? 'devDependencies' : 'dependencies';
  const bundle = bundleOf({
    'package.json': JSON.stringify({
      [group]: { [name]: '*' },
      dependencies: { other: '*', ...(!isDev && { [name]: '*' }) },
    }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: {
        [`node_modules/${name}`]: { version, ...(isDev && { dev: true }) },
        'node_modules/other': { version: '1.0.0' },
      },
    }),
  });
  await market.owner.query(`INSERT INTO agent_bundles (version_id, bundle, sha256) VALUES ($1, $2, 'test')`, [
    agent.versionId,
    bundle,
  ]);
  return agent;
}

function scan({ versionId }: LiveAgent, options: ScannerOptions = {}) {
  const { pool, advisories } = market.container;
  const scans = createBundleScans({ pool, advisories, scanner: createBundleScanner(options) });
  return scans.scan(versionId, new AbortController().signal);
}

const unasked = async () =>
  (await market.container.advisories.listUnasked()).map(({ agentId }) => agentId).sort();

describe('advisories', () => {
  it('are imported once, changed, and withdrawn', async () => {
    const { advisories } = market.container;
    const first = folderOf('first', [
      record('GHSA-0001', 'imported', '2.0.0'),
      record('GHSA-0002', 'imported', '3.0.0'),
    ]);
    writeFileSync(join(first, 'broken.json'), '{');
    expect(await advisories.import(first)).toMatchObject({
      files: 3,
      records: 2,
      changed: 2,
      unreadableTotal: 1,
    });
    expect(await advisories.import(first)).toMatchObject({ records: 2, changed: 0 });
    const later = { modified: '2025-02-01T00:00:00Z' };
    const second = folderOf('second', [
      record('GHSA-0001', 'imported', '2.0.1', later),
      record('GHSA-0002', 'imported', '3.0.0', { ...later, withdrawn: '2025-02-01T00:00:00Z' }),
    ]);
    expect(await advisories.import(second)).toMatchObject({ changed: 1, withdrawn: 1 });
    const known = await advisories.source.lookup([{ ecosystem: 'npm', name: 'imported' }]);
    expect(known).toMatchObject([{ advisoryId: 'GHSA-0001', severity: 'high' }]);
    // An older copy of a record changes nothing.
    const old = folderOf('old', [record('GHSA-0001', 'imported', '9.0.0')]);
    expect(await advisories.import(old)).toMatchObject({ changed: 0 });
    const elsewhere = folderOf('elsewhere', [record('GHSA-0001', 'another-package', '9.0.0')]);
    await advisories.import(elsewhere);
    expect(await advisories.source.lookup([{ ecosystem: 'npm', name: 'imported' }])).toHaveLength(1);
  });

  it('are read from a zip archive', async () => {
    const source = folderOf('zipped', [
      record('GHSA-0003', 'zipped', '2.0.0'),
      record('GHSA-0004', 'zipped', '2.0.0'),
    ]);
    const archive = join(folder, 'all.zip');
    const files = ['below/0.json', '1.json'].map((name) => [name, readFileSync(join(source, name))] as const);
    writeFileSync(archive, zipOf(new Map(files)));
    expect(await market.container.advisories.import(archive)).toMatchObject({ files: 2, changed: 2 });
    writeFileSync(join(folder, 'no.zip'), 'nothing');
    await expect(market.container.advisories.import(join(folder, 'no.zip'))).rejects.toThrow(
      'not a zip archive',
    );
  });

  it('are reported by the scan of a bundle, with their fixes, and for malicious packages also to developers', async () => {
    const agent = await agentPinning('scanned', '1.0.0');
    const tools = await agentPinning('scanned', '1.0.0', true);
    const bad = record('MAL-2025-1', 'scanned', '1.0.1', { database_specific: {} });
    const path = folderOf('scan', [record('GHSA-0005', 'scanned', '1.2.0'), bad]);
    await market.container.advisories.import(path);
    const single = (await scan(agent)).static.vulnerabilities;
    expect(single.coverage).toEqual({ wanted: 2, looked: 0, gaps: [{ code: 'no_advisories', count: 2 }] });
    expect([single.found.total, single.asOf]).toEqual([1, []]);
    await market.container.advisories.importComplete(path);
    const evidence = await scan(agent);
    expect(evidence.static.vulnerabilities.asOf).toEqual([
      { ecosystem: 'npm', date: '2025-01-01T00:00:00.000Z' },
    ]);
    expect(evidence.static.vulnerabilities).toMatchObject({
      coverage: { wanted: 2, looked: 2, gaps: [] },
      found: {
        total: 1,
        items: [
          { name: 'scanned', version: '1.0.0', advisoryId: 'GHSA-0005', severity: 'high', fixedIn: '1.2.0' },
        ],
      },
    });
    expect(evidence.supplyChain.malicious.found.items).toMatchObject([
      { advisoryId: 'MAL-2025-1', severity: 'critical' },
    ]);
    const ofTools = await scan(tools);
    expect(ofTools.static.vulnerabilities.found.total).toBe(0);
    expect(ofTools.supplyChain.malicious.found.total).toBe(1);
  }, 60_000);

  it('start runs of exactly the agents that pin an affected version, once each', async () => {
    const { advisories } = market.container;
    const hit = await agentPinning('swept', '1.0.0');
    const fixed = await agentPinning('swept', '2.0.0');
    const other = await agentPinning('another', '1.0.0');
    const onlyTools = await agentPinning('swept', '1.0.0', true);
    for (const agent of [hit, fixed, other, onlyTools]) await scan(agent);
    await advisories.sweep();
    expect(await unasked()).toEqual([]);
    const path = folderOf('sweep', [record('GHSA-0006', 'swept', '1.5.0')]);
    await advisories.import(path);
    await Promise.all([advisories.sweep(), advisories.sweep()]);
    expect(await unasked()).toEqual([hit.agentId]);
    await advisories.markAsked(hit.versionId);
    await advisories.import(path);
    await advisories.import(
      folderOf('reworded', [record('GHSA-0006', 'swept', '1.5.0', { summary: 'Told better' })]),
    );
    await advisories.sweep();
    expect(await unasked()).toEqual([]);
  });

  it('that a run has considered start no further run', async () => {
    const { advisories } = market.container;
    const agent = await agentPinning('seen', '1.0.0');
    await advisories.import(folderOf('seen', [record('GHSA-0007', 'seen', '1.5.0')]));
    expect((await scan(agent)).static.vulnerabilities.found.total).toBe(1);
    await advisories.sweep();
    expect(await unasked()).toEqual([]);
  });
});

describe('a source of advisories', () => {
  let bucket: OsvBucket;
  let feed: AdvisoryFeed;
  let egress: Egress;
  const npm = (names: Record<string, string>) =>
    Object.entries(names).map(([id, modified]) => ({ ...record(id, `fed-${id}`, '2.0.0'), id, modified }));
  const pypi = [{ id: 'PYSEC-2024-1', modified: '2024-05-01T00:00:00Z', affected: [] }];
  const refresh = () => feed.refresh(new AbortController().signal);
  const ofNpm = async () => (await refresh())[0];
  const covered = async () => (await market.container.advisories.source.covered()).get('npm');
  const known = async (id: string) =>
    (await market.container.advisories.source.lookup([{ ecosystem: 'npm', name: `fed-${id.toLowerCase()}` }]))
      .length;

  beforeEach(async () => {
    egress = createEgress(egressSettings());
    bucket = await startOsvBucket();
    await market.owner.query('DELETE FROM advisory_sets');
    feed = createAdvisoryFeed({
      pool: market.container.pool,
      advisories: market.container.advisories,
      source: createOsvSource(egress, bucket.url),
      folder: mkdtempSync(join(folder, 'feed-')),
      logger: createLogger('test', 'silent'),
    });
    bucket.put('PyPI', pypi);
  });
  afterEach(() => bucket.stop());

  it('is read completely once, then only its changes, and has a date', async () => {
    bucket.put('npm', npm({ 'ghsa-f001': '2025-03-01T00:00:00Z', 'ghsa-f002': '2025-03-02T00:00:00Z' }));
    expect(await ofNpm()).toMatchObject({ ecosystem: 'npm', outcome: 'archive', changed: 2 });
    expect(await covered()).toBe('2025-03-02T00:00:00.000Z');
    expect(await ofNpm()).toMatchObject({ outcome: 'current' });
    bucket.put('npm', npm({ 'ghsa-f001': '2025-03-01T00:00:00Z', 'ghsa-f003': '2025-03-05T00:00:00Z' }));
    bucket.requests.length = 0;
    expect(await ofNpm()).toMatchObject({ outcome: 'changes', changed: 1 });
    expect(bucket.requests.map(({ path }) => path).filter((path) => path.startsWith('npm'))).toEqual([
      'npm/modified_id.csv',
      'npm/ghsa-f003.json',
    ]);
    expect(await covered()).toBe('2025-03-05T00:00:00.000Z');
    expect(await known('ghsa-f003')).toBe(1);
  });

  it('continues an interrupted download, and starts again if the archive has changed', async () => {
    const details = randomBytes(300_000).toString('hex');
    bucket.put('npm', [{ ...npm({ 'ghsa-f010': '2025-03-01T00:00:00Z' })[0], details } as never]);
    bucket.breakAfter(200_000);
    expect(await ofNpm()).toMatchObject({ outcome: 'archive', changed: 1 });
    const tries = () => bucket.requests.filter(({ path }) => path === 'npm/all.zip');
    expect(tries()).toMatchObject([
      { range: undefined, status: 200 },
      { range: expect.stringMatching(/^bytes=[1-9]\d*-$/) as unknown, status: 206 },
    ]);
    const source = createOsvSource(egress, bucket.url);
    const file = join(folder, 'changed.zip');
    writeFileSync(file, 'half of another archive');
    writeFileSync(`${file}.etag`, '"another"');
    await source.download('npm', file);
    expect(tries().at(-1)).toMatchObject({ range: 'bytes=23-', status: 200 });
    expect(readFileSync(file).subarray(0, 2).toString()).toBe('PK');
  });

  it.each([
    ['a wrong checksum', 'crc32c=AAAAAA==', 'the checksum of the archive is wrong'],
    ['no checksum', undefined, 'the archive has no checksum'],
  ])('is not used with %s, and covers nothing', async (_what, checksum, reason) => {
    bucket.put('npm', npm({ 'ghsa-f020': '2025-03-01T00:00:00Z' }));
    bucket.publishChecksum(checksum);
    expect(await ofNpm()).toMatchObject({ outcome: 'failed', reason });
    expect([await covered(), await known('ghsa-f020')]).toEqual([undefined, 0]);
  });

  it.each([
    ['the end', (whole: Buffer) => whole.subarray(0, whole.length - 40), 'is not a zip archive'],
    ['the half', (whole: Buffer) => whole.subarray(0, whole.length / 2), 'is not a zip archive'],
    ['the data of its records', (whole: Buffer) => Buffer.from(whole).fill(0, 60, 120), 'the archive has records that cannot be read'],
    ['some of its records', () => zipOf(recordsOf('ghsa-f032')), 'the archive has 1 of 2 records'],
  ])('covers no more than before if the archive lacks %s, although its checksum is right', async (_what, cut, reason) => {
    const records = npm({ 'ghsa-f032': '2025-03-01T00:00:00Z', 'ghsa-f033': '2025-03-02T00:00:00Z' });
    bucket.put('npm', records);
    const whole = await fetchObject(egress, `${bucket.url}/npm/all.zip`);
    bucket.putObject('npm/all.zip', cut(whole));
    expect(await ofNpm()).toMatchObject({ outcome: 'failed', reason });
    expect(await covered()).toBeUndefined();
    bucket.put('npm', records);
    expect(await ofNpm()).toMatchObject({ outcome: 'archive' });
    expect(await covered()).toBe('2025-03-02T00:00:00.000Z');
  }); // prettier-ignore

  it('with older data changes nothing', async () => {
    bucket.put('npm', npm({ 'ghsa-f040': '2025-03-09T00:00:00Z' }));
    await refresh();
    bucket.put('npm', npm({ 'ghsa-f041': '2025-02-01T00:00:00Z' }));
    expect(await ofNpm()).toMatchObject({ outcome: 'older' });
    await market.owner.query(`UPDATE advisory_sets SET complete_at = now() - interval '8 days'`);
    expect(await ofNpm()).toMatchObject({ outcome: 'older' });
    expect([await covered(), await known('ghsa-f041')]).toEqual(['2025-03-09T00:00:00.000Z', 0]);
  });
});

/** Files of an archive with these records of npm. */
function recordsOf(...ids: string[]): Map<string, Buffer> {
  const text = (id: string) =>
    JSON.stringify({ ...record(id, `fed-${id}`, '2.0.0'), id, modified: '2025-03-01T00:00:00Z' });
  return new Map(ids.map((id) => [`${id}.json`, Buffer.from(text(id))]));
}

async function fetchObject(egress: Egress, url: string): Promise<Buffer> {
  const deadlineMs = Date.now() + 5_000;
  return (await egress.post({ url, method: 'GET', headers: {}, deadlineMs, maxResponseBytes: 1e6 })).body;
}

it('verifies an agent again when an advisory affects it, also if another process imported it', async () => {
  const agent = await agentPinning('imported-by-hand', '1.0.0');
  await scan(agent);
  const worker = await startMarket({ share: market, operations: true, env: { SWEEP_INTERVAL_MS: '200' } });
  try {
    await market.container.advisories.import(
      folderOf('hand', [record('GHSA-0008', 'imported-by-hand', '1.5.0')]),
    );
    await eventually(async () => {
      const runs = await market.owner.query<{ agent_id: string }>(
        `SELECT agent_id FROM verification_runs WHERE reason = 'advisory'`,
      );
      return runs.rows.length > 0;
    }, 30_000);
    const asked = await market.owner.query<{ agent_id: string }>(
      `SELECT DISTINCT agent_id FROM verification_runs WHERE reason = 'advisory'`,
    );
    expect(asked.rows).toEqual([{ agent_id: agent.agentId }]);
  } finally {
    await worker.stop();
  }
});

it('a bundle that ended its reader is not read again in another run, whatever the process', async () => {
  const agent = await agentPinning('ending', '1.0.0');
  const bundle = bundleOf({
    'package-lock.json': `[${'{"a":1},'.repeat(900_000)}1]`,
    'package.json': '{"license":"MIT"}',
  });
  const change = 'UPDATE agent_bundles SET bundle = $1 WHERE version_id = $2';
  await market.owner.query(change, [bundle, agent.versionId]);
  const first = await scan(agent, { limits: { heapMb: 32 } });
  expect(first.supplyChain.licences.coverage.gaps).toEqual([{ code: 'reader_ended', count: 1 }]);
  expect(await scan(agent)).toEqual(first);
  const another = bundleOf({ 'package.json': '{"license":"MIT"}' });
  await market.owner.query(change, [another, agent.versionId]);
  expect((await scan(agent)).supplyChain.licences.own).toBe('MIT');
});
