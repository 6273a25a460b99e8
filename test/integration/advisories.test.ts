import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBundleScans } from '../../src/services/verification/bundle-scans';
import { insertBundle } from '../../src/stores/catalogue/agent-versions';
import { createBundleScanner } from '../../src/verification/bundles/bundle-scan';
import { bundleOf, zipOf } from '../support/bundles';
import {
  eventually,
  type LiveAgent,
  putLive,
  register,
  startMarket,
  type TestMarket,
} from '../support/market';

const URL = 'https://127.77.0.1:9443';

let market: TestMarket;
let folder: string;
let developer: { userId: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-osv-'));
  market = await startMarket({ operations: false });
  developer = await register(market, 'developer');
});
afterAll(async () => {
  await market.stop();
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
  await insertBundle(market.owner, agent.versionId, bundle, 'test');
  return agent;
}

function scan({ versionId }: LiveAgent) {
  const { pool, advisories } = market.container;
  const scans = createBundleScans({ pool, advisories, scanner: createBundleScanner() });
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

  it('are told by the scan of a bundle, with what fixes them, and of malicious packages also for developers', async () => {
    const agent = await agentPinning('scanned', '1.0.0');
    const tools = await agentPinning('scanned', '1.0.0', true);
    const bad = record('MAL-2025-1', 'scanned', '1.0.1', { database_specific: {} });
    await market.container.advisories.import(
      folderOf('scan', [record('GHSA-0005', 'scanned', '1.2.0'), bad]),
    );
    const evidence = await scan(agent);
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
  });

  it('ask for runs of exactly the agents that pin an affected version, and once', async () => {
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

  it('that a run has seen ask for no other one', async () => {
    const { advisories } = market.container;
    const agent = await agentPinning('seen', '1.0.0');
    await advisories.import(folderOf('seen', [record('GHSA-0007', 'seen', '1.5.0')]));
    expect((await scan(agent)).static.vulnerabilities.found.total).toBe(1);
    await advisories.sweep();
    expect(await unasked()).toEqual([]);
  });
});

it('has an agent verified anew when an import hits it, whoever imported', async () => {
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
