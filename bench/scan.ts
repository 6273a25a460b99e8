/**
 * `npm run bench:scan`: scans a bundle with 1,500 locked packages and 5 MiB of source, with 200,000 advisory records
 * imported. Limits: 10 s of processor time and 600 MB.
 *
 * ADVISORIES=200000 PACKAGES=1500 SOURCE_MIB=5 set the sizes. RULES=path adds secret rules in the format of gitleaks.
 */
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Advisories, createAdvisories } from '../src/services/verification/advisories';
import { createPool } from '../src/stores/db';
import { createBundleScanner } from '../src/verification/bundles/bundle-scan';
import type { ScannedManifest } from '../src/verification/bundles/completeness';
import { APP_ROLE, ensureDatabase, ensureRoles, OWNER_ROLE } from '../src/runtime/postgres/database';
import { migrate } from '../src/runtime/postgres/migrate';
import { postgresUrl, startPostgres } from '../src/runtime/postgres/postgres';
import { removePlace } from '../src/runtime/postgres/postgres-binaries';
import { freePort } from '../src/runtime/processes/processes';
import { bundleOf, madeUp } from '../test/support/verification/bundles';

const ADVISORIES = Number(process.env['ADVISORIES'] ?? 200_000);
const PACKAGES = Number(process.env['PACKAGES'] ?? 1_500);
const SOURCE_BYTES = Number(process.env['SOURCE_MIB'] ?? 5) * 1024 * 1024;
const LIMITS = { cpuSeconds: 10, megabytes: 600 };
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const nameOf = (index: number) => `package-${index}`;

/** Writes each record to its own file, like a directory of OSV; every fourth is about a package of the bundle. */
async function writeRecords(directory: string): Promise<void> {
  for (let from = 0; from < ADVISORIES; from += 500) {
    const batch = Array.from({ length: Math.min(500, ADVISORIES - from) }, (_, index) => from + index);
    await Promise.all(batch.map((index) => writeFile(join(directory, `${index}.json`), recordOf(index))));
  }
}

function recordOf(index: number): string {
  const name = index % 4 === 0 ? nameOf(index % PACKAGES) : `other-${index}`;
  return JSON.stringify({
    id: index % 2 === 0 ? `MAL-2025-${index}` : `GHSA-bench-${index}`,
    modified: '2025-01-01T00:00:00Z',
    summary: `A record for measurements, number ${index}`,
    details: 'x'.repeat(1_000),
    affected: [
      {
        package: { ecosystem: 'npm', name },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: `0.${index % 7}.0` }] }],
      },
    ],
  });
}

function sourceFile(index: number, bytes: number): string {
  const line = (at: number) =>
    `export const ${madeUp(LETTERS, 12, at + 1)}_${index} = (key) => fetchToken(key, '${madeUp(LETTERS, 24, at + 7)}'); // ${at}\n`;
  const lines: string[] = [];
  for (let length = 0, at = index * 1_000; length < bytes; at += 1) {
    lines.push(line(at));
    length += lines.at(-1)?.length ?? 0;
  }
  return lines.join('');
}

function makeBundle(): Buffer {
  const entries = Array.from({ length: PACKAGES }, (_, index): [string, object] => [
    `node_modules/${nameOf(index)}`,
    {
      version: `1.${index % 20}.0`,
      license: 'MIT',
      integrity: `sha512-${madeUp(`${LETTERS}0123456789`, 86, index + 1)}==`,
    },
  ]);
  const files = 200;
  const source = Array.from({ length: files }, (_, index): [string, string] => [
    `src/file-${index}.js`,
    sourceFile(index, SOURCE_BYTES / files),
  ]);
  const dependencies = Object.fromEntries(entries.slice(0, 100).map((_, index) => [nameOf(index), '^1.0.0']));
  return bundleOf({
    ...Object.fromEntries(source),
    'package.json': JSON.stringify({ license: 'MIT', dependencies }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(entries) }),
  });
}

const manifest = {
  description: 'An agent for measurements.',
  tags: [],
  endpoint: { url: 'https://agent.example.com' },
  data_handling: { subprocessors: [] },
  input_schema: {},
  output_schema: {},
} as unknown as ScannedManifest;

/** Starts a separate Postgres with the service's tables. */
async function startDatabase(home: string) {
  const password = 'bench';
  const port = await freePort();
  const postgres = await startPostgres({
    home,
    port,
    logFile: join(home, 'postgres.log'),
    superuserPassword: password,
  });
  await ensureRoles(postgres.superuserUrl('postgres'), { owner: password, app: password });
  await ensureDatabase(postgres.superuserUrl('postgres'), 'market');
  await migrate(postgresUrl({ user: OWNER_ROLE, password, port, database: 'market' }));
  const connectionString = postgresUrl({ user: APP_ROLE, password, port, database: 'market' });
  const pool = createPool({ connectionString, max: 4, applicationName: 'bench', onError: () => undefined });
  const stop = async () => {
    await pool.end();
    await postgres.stop();
    removePlace(home);
  };
  return { pool, stop };
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'market-bench-osv-'));
  const { pool, stop } = await startDatabase(await mkdtemp(join(tmpdir(), 'market-bench-scan-')));
  try {
    await writeRecords(directory);
    const advisories = createAdvisories({ pool });
    const beganAt = performance.now();
    const { records } = await advisories.importComplete(directory);
    console.log(
      `${records} advisory records imported in ${((performance.now() - beganAt) / 1_000).toFixed(1)} s`,
    );
    process.exitCode = (await measure(advisories)) ? 0 : 1;
  } finally {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** True when the scan stayed within its limits. */
async function measure({ source }: Advisories): Promise<boolean> {
  const bundle = makeBundle();
  const ruleFile =
    process.env['RULES'] === undefined ? undefined : readFileSync(process.env['RULES'], 'utf8');
  const scanner = createBundleScanner({ ruleFile });
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const evidence = await scanner.scan(
    { bundle, manifest, advisories: source, developer: 'bench' },
    new AbortController().signal,
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpu);
  const megabytes = Math.max(peak, process.memoryUsage().rss) / 1_048_576;
  const { quality, vulnerabilities } = evidence.static;
  const mebibytes = (quality.sourceBytes / 1_048_576).toFixed(1);
  console.log(`${mebibytes} MiB of source, ${vulnerabilities.coverage.looked} locked packages`);
  const cpuSeconds = (user + system) / 1_000_000;
  console.log(
    `scan: ${cpuSeconds.toFixed(1)} s of processor time (limit ${LIMITS.cpuSeconds}), done after ${seconds.toFixed(1)} s`,
  );
  console.log(`memory of the process: ${megabytes.toFixed(0)} MB (limit ${LIMITS.megabytes})`);
  return cpuSeconds <= LIMITS.cpuSeconds && megabytes <= LIMITS.megabytes;
}

void main();
