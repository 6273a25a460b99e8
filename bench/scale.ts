/**
 * `npm run bench:scale`: does what runs often cost more when history grows? Fills two databases with finished calls,
 * one with a tenth of the days of the other, and measures the same on both. Exits 1 when a row that must not grow has
 * grown by more than 25%, or when a Monday takes more than 180 s. Sizes: BENCH_CALLS (5000000), BENCH_DAYS (300),
 * BENCH_BUYERS, BENCH_DEVELOPERS, BENCH_AGENTS; BENCH_REPETITIONS. BENCH_HOME keeps the databases, and a run that finds
 * them filled uses them; BENCH_PARTS (often,snapshot,checks,monday) leaves parts out.
 */
import { Pool } from 'pg';
import { createCipher, parseMasterKeys } from '../src/kit/crypto/cipher';
import { createLogger } from '../src/logger';
import { createSigningKeys } from '../src/services/evidence/signing-keys';
import { checkLedger, formatReport } from '../src/services/ledger/ledger-check';
import { createLedgerDigests } from '../src/services/ledger/ledger-digests';
import { fill, isFilled } from './scale/fill';
import type { Size } from './scale/call-lines';
import { addMethods, payMonday } from './scale/monday';
import { startPlace } from './scale/place';
import { measureBehindSnapshot } from './scale/snapshot';
import { measureBytes, measureOften, type Measured } from './scale/rows';

const setting = (name: string, otherwise: number) => Number(process.env[`BENCH_${name}`] ?? otherwise);
const CALLS = setting('CALLS', 5_000_000);
const DAYS = setting('DAYS', 300);
const MOST_GROWTH = 1.25;
/** Below it, a difference is that of the machine. */
const LEAST_GROWTH_MS = 0.3;
const MONDAY_SECONDS = 180;

const size = (part: number): Size => ({
  calls: CALLS * part,
  days: DAYS * part,
  buyers: setting('BUYERS', 20_000),
  developers: setting('DEVELOPERS', 2_000),
  agents: setting('AGENTS', 500),
  unpaid: Math.floor(CALLS / 20),
});

/** The measurements after the fill, in this order. */
const PARTS = (process.env['BENCH_PARTS'] ?? 'often,snapshot,checks,monday').split(',');

async function main(): Promise<void> {
  const place = await startPlace();
  try {
    const filled = [await fillOne(place, 'tenth', size(0.1)), await fillOne(place, 'full', size(1))];
    const rows: Measured[][] = PARTS.includes('often') ? await measureOften(filled) : filled.map(() => []);
    for (const [at, { appUrl, bytes }] of filled.entries()) {
      if (PARTS.includes('snapshot')) rows[at]?.push(...(await measureBehindSnapshot(appUrl)));
      const start = performance.now();
      if (PARTS.includes('checks')) rows[at]?.push(...(await measureChecks(appUrl)));
      say('sealed and checked', start);
      if (PARTS.includes('monday')) rows[at]?.push(await measureMonday(appUrl));
      rows[at]?.push(...bytes);
    }
    report(rows[0] ?? [], rows[1] ?? []);
  } finally {
    await place.stop();
  }
}

async function measureMonday(appUrl: string): Promise<Measured> {
  const { seconds: value, shares, payouts } = await payMonday(appUrl);
  console.log(`a Monday: ${shares} shares, ${payouts} payouts in the file`);
  return { name: 'a Monday', value, unit: 's', mayGrow: true };
}

async function fillOne(place: Awaited<ReturnType<typeof startPlace>>, name: string, of: Size) {
  const at = performance.now();
  const { superuser, app } = await place.database(`scale_${name}_${of.calls}`);
  if (!(await isFilled(superuser))) {
    await fill(superuser, of, (client) => addMethods(client, of));
    say(`${of.calls} calls of ${of.days} days filled in`, at);
  }
  return { size: of, appUrl: app, bytes: await measureBytes(superuser, of) };
}

/** Seals the days; then a full check, which proves the last of them but one, and an incremental one from there on. */
async function measureChecks(appUrl: string): Promise<Measured[]> {
  const pool = new Pool({ connectionString: appUrl, max: 2 });
  const cipher = createCipher(parseMasterKeys('dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk='));
  const keys = createSigningKeys({ pool, cipher });
  const measured: Measured[] = [];
  const seconds = async (name: string, mayGrow: boolean, work: () => Promise<string | undefined>) => {
    const at = performance.now();
    const problem = await work();
    measured.push({ name, value: (performance.now() - at) / 1_000, unit: 's', mayGrow });
    if (problem) console.log(`  ${name}:\n${problem}`);
  };
  const check = async (incremental: boolean) => {
    const report = await checkLedger(pool, { cipher, incremental });
    const slow = report.proofs.filter(({ durationMs }) => durationMs > 10_000);
    for (const { name, durationMs } of slow)
      console.log(`  proof ${name}: ${Math.round(durationMs / 1_000)} s`);
    return report.ok ? undefined : formatReport(report);
  };
  try {
    await seconds('sealing all days', true, async () => {
      await createLedgerDigests({ pool, keys, logger: createLogger('bench', 'silent') })();
      return undefined;
    });
    await seconds('ledger check, full', true, () => check(false));
    await pool.query('SELECT ledger_prove((SELECT max(day) - 1 FROM ledger_digests), true)');
    await seconds('ledger check, incremental', false, () => check(true));
  } finally {
    await pool.end();
  }
  return measured;
}

function report(tenth: readonly Measured[], full: readonly Measured[]): void {
  const width = Math.max(...full.map(({ name }) => name.length));
  const text = (value: number | undefined, unit: string) =>
    value === undefined ? '–' : `${value < 10 ? value.toFixed(2) : Math.round(value)} ${unit}`;
  console.log(`\n${''.padEnd(width)}  ${'1/10'.padStart(12)}  ${'full'.padStart(12)}  quotient`);
  for (const { name, value, unit, mayGrow } of full) {
    const before = tenth.find((row) => row.name === name)?.value;
    const quotient = before === undefined ? Number.NaN : value / before;
    const grows = unit === 'ms' ? value - (before ?? 0) > LEAST_GROWTH_MS : unit === 's';
    const hasFailed =
      (!mayGrow && unit !== 'bytes' && !(quotient <= MOST_GROWTH || !grows)) ||
      (name === 'a Monday' && value > MONDAY_SECONDS) ||
      Number.isNaN(value);
    if (hasFailed) process.exitCode = 1;
    const end = hasFailed ? '  FAIL' : mayGrow ? '  (may grow)' : '';
    console.log(
      `${name.padEnd(width)}  ${text(before, unit).padStart(12)}  ${text(value, unit).padStart(12)}  ${quotient.toFixed(2)}${end}`,
    );
  }
}

function say(what: string, at: number): void {
  console.log(`${what} ${((performance.now() - at) / 1_000).toFixed(1)} s`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
