/**
 * `npm run bench:verification -- import [count]`: imports advisories (default 200,000) into an empty database, then the
 * same again, from zip archives like those of OSV, or with FILES=1 from one file for each record. Limit: 60 s for the
 * first import.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdvisories } from '../../src/services/verification/advisories';
import { createPool } from '../../src/stores/db';
import { madeUp, zipOf } from '../../test/support/verification/bundles';
import { startPlace } from '../scale/place';

const LIMIT_S = 60;
/** A zip archive without zip64 has at most 65,535 entries. */
const PER_ARCHIVE = 50_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Imports `count` records twice and prints the seconds of each import. Sets the exit code if the first takes too long.
 */
export async function benchImport(count = 200_000): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'market-import-'));
  const place = await startPlace();
  try {
    for (let from = 0; from < count; from += PER_ARCHIVE) {
      const to = Math.min(count, from + PER_ARCHIVE);
      if (process.env['FILES'] === '1') writeFiles(join(folder, `${from}`), from, to);
      else writeFileSync(join(folder, `${from}.zip`), archiveOf(from, to));
    }
    const { app } = await place.database('advisories');
    const pool = createPool({
      connectionString: app,
      max: 4,
      waitingPerLane: 64,
      applicationName: 'bench',
      onError: () => undefined,
    });
    const advisories = createAdvisories({ pool });
    for (const what of ['first', 'again']) {
      const { seconds, cpu } = await timed(() => advisories.import(folder));
      console.log(
        `${what} import of ${count} records: ${seconds.toFixed(1)} s (${cpu.toFixed(1)} s of CPU here)`,
      );
      if (what === 'first' && seconds > LIMIT_S) process.exitCode = 1;
    }
    const { seconds } = await timed(() => advisories.sweep());
    console.log(`sweep of the changes: ${seconds.toFixed(1)} s`);
    await pool.end();
  } finally {
    await place.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<unknown>) {
  const beganAt = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - beganAt) / 1_000, cpu: (user + system) / 1_000_000 };
}

/** As an unpacked archive: one file for each record. */
function writeFiles(folder: string, from: number, to: number): void {
  mkdirSync(folder);
  for (let index = from; index < to; index += 1)
    writeFileSync(join(folder, `${index}.json`), recordOf(index));
}

function archiveOf(from: number, to: number): Buffer {
  const files = new Map<string, Buffer>();
  for (let index = from; index < to; index += 1) files.set(`${index}.json`, Buffer.from(recordOf(index)));
  return zipOf(files);
}

function recordOf(index: number): string {
  const range = { type: 'SEMVER', events: [{ introduced: '0' }, { fixed: `0.${index % 7}.0` }] };
  const versions =
    index % 10 === 0 ? Array.from({ length: 50 }, (_, at) => `1.${at}.0`) : [`1.${index % 9}.0`];
  return JSON.stringify({
    id: index % 2 === 0 ? `MAL-2025-${index}` : `GHSA-bench-${index}`,
    modified: '2025-01-01T00:00:00Z',
    summary: `A record for measurements, number ${index}`,
    details: madeUp(LETTERS, 1_000, index + 1),
    affected: [
      {
        package: { ecosystem: index % 4 === 0 ? 'PyPI' : 'npm', name: `package-${index % 150_000}` },
        versions,
        ranges: [range],
      },
    ],
  });
}
