/**
 * `npm run bench:month`: what the statement of a month costs an account with many calls. Makes the calls by the
 * ledger's own functions, each a hold and a capture, and reads the statement of the month while it is open, for the
 * first time after it is closed, and again. Exits 1 if an open or a first statement takes more than 3 s, a kept one
 * more than 50 ms, or the process more than 100 MB. Settings: BENCH_CALLS (200000), BENCH_BATCH (500).
 */
import { Pool } from 'pg';
import { createStatements } from '../src/services/billing/statements';
import { createLedgerService } from '../src/services/ledger/ledger';
import type { AccountStatement } from '../src/services/billing/account-statement';
import { addUser, holdRequest } from '../test/support/ledger/ledger';
import { startPlace } from './scale/place';

const CALLS = Number(process.env['BENCH_CALLS'] ?? 200_000);
const BATCH = Number(process.env['BENCH_BATCH'] ?? 500);
const MOST = { readMs: 3_000, keptMs: 50, bytes: 100 * 1024 * 1024 };
const DAY_MS = 86_400_000;

async function main(): Promise<void> {
  const place = await startPlace();
  const { superuser, app: appUrl } = await place.database(`month_${CALLS}`);
  const app = new Pool({ connectionString: appUrl, max: 4 });
  const owner = new Pool({ connectionString: superuser, max: 1 });
  // Postgres is stopped while they are idle.
  for (const pool of [app, owner]) pool.on('error', () => undefined);
  try {
    const t = { owner: owner as never, app };
    const buyer = await addUser(t, 'buyer', CALLS);
    const developer = await addUser(t, 'developer');
    const month = new Date().toISOString().slice(0, 7);
    const filled = await timed(() => makeCalls(app, buyer, developer));
    await owner.query('ANALYZE');
    console.log(`${CALLS} calls made in ${(filled.ms / 1_000).toFixed(0)} s`);
    report(await measure(app, buyer, month));
  } finally {
    await app.end();
    await owner.end();
    await place.stop();
  }
}

async function makeCalls(app: Pool, buyer: string, developer: string): Promise<void> {
  const ledger = createLedgerService({ pool: app });
  const maturesAt = new Date(Date.now() + DAY_MS);
  for (let made = 0; made < CALLS; made += BATCH) {
    const holds = Array.from({ length: BATCH }, () => holdRequest(buyer, developer, 1));
    await ledger.hold(holds);
    await ledger.capture(
      holds.map(({ invocationId, amountUnits }) => ({ invocationId, grossUnits: amountUnits, maturesAt })),
    );
  }
}

interface Row {
  name: string;
  ms: number;
  most: number;
}

async function measure(app: Pool, buyer: string, month: string): Promise<{ rows: Row[]; bytes: number }> {
  const statements = (now: () => number) =>
    createStatements({
      pool: app,
      documents: { pdf: () => Promise.reject(new Error('none')) } as never,
      letterhead: [],
      now,
    });
  const open = statements(Date.now);
  const closed = statements(() => Date.now() + 40 * DAY_MS);
  const before = process.memoryUsage().rss;
  const rows: Row[] = [];
  const note = async (name: string, most: number, work: () => Promise<unknown>) => {
    const times = [await timed(work), await timed(work), await timed(work)];
    rows.push({ name, most, ms: Math.max(...times.map(({ ms }) => ms)) });
  };
  await note('an open month', MOST.readMs, async () => check(await open.statement(buyer, month)));
  const first = await timed(async () => check(await closed.statement(buyer, month)));
  rows.push({ name: 'a closed month, first', most: MOST.readMs, ms: first.ms });
  await note('a closed month, again', MOST.keptMs, async () => check(await closed.statement(buyer, month)));
  await note('the same as CSV', MOST.keptMs, () => closed.statementCsv(buyer, month));
  return { rows, bytes: process.memoryUsage().rss - before };
}

function check({ closingUnits, lines }: AccountStatement): void {
  const spent = lines.reduce((sum, { units }) => sum + Math.min(units, 0), 0);
  if (closingUnits !== 0 || spent !== -CALLS * 100)
    throw new Error(`wrong sums: ${closingUnits} ${JSON.stringify(lines)}`);
}

async function timed(work: () => Promise<unknown>): Promise<{ ms: number }> {
  const begun = performance.now();
  await work();
  return { ms: performance.now() - begun };
}

function report({ rows, bytes }: { rows: Row[]; bytes: number }): void {
  for (const { name, ms, most } of rows)
    console.log(`${name.padEnd(24)} ${ms.toFixed(1).padStart(8)} ms, at most ${most} ms`);
  console.log(`memory of this process   ${(bytes / 1024 / 1024).toFixed(1).padStart(8)} MB more`);
  if (bytes > MOST.bytes || rows.some(({ ms, most }) => ms > most)) process.exitCode = 1;
}

void main();
