import { Client } from 'pg';
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import {
  type Fence,
  hasPassed,
  listDigests,
  readFence,
  readFigures,
  readNextDay,
} from '../../../src/stores/ledger/ledger-digests';
import { LIABILITY_KINDS, type LiabilityStatement } from '../../../src/domain/ledger/market-log';
import { leafHash, rootOfPath } from '../../../src/kit/ledger/sum-tree';
import { createLogger } from '../../../src/logger';
import { createMarketLogReads } from '../../../src/services/market-log/proofs';
import { createMarketLog } from '../../../src/services/market-log/publish';
import { BUCKET, listDays, readEntries, readWork } from '../../../src/stores/market-log/market-log';
import { hold } from '../../../src/stores/ledger/ledger-moves';
import { asIntruder, cipher, moveBack, sealerOf, signingKeysOf, trade } from '../../support/ledger/digests';
import {
  addUser,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';
import { eventually, realTime } from '../../support/waits';

/**
 * A day is sealed once, in order, after every transaction of the day has ended, and also late. The market log says
 * what was owed at the end of each.
 */
let t: TestLedger;
jest.setTimeout(60_000); // sealing waits for every database transaction of the cluster, also of other tests

beforeEach(async () => {
  t = await startLedger();
});
afterEach(() => t.stop());

/** Days from `daysAgo` up to the last one that has been over for five minutes, as the database sees it. */
async function closedSince(daysAgo: number): Promise<string[]> {
  const { rows } = await t.app.query<{ day: string }>(
    `SELECT to_char(d, 'YYYY-MM-DD') AS day FROM generate_series((now() AT TIME ZONE 'UTC')::date - $1::integer,
       (now() AT TIME ZONE 'UTC' - interval '5 minutes')::date - 1, interval '1 day') d ORDER BY 1`,
    [daysAgo],
  );
  return rows.map(({ day }) => day);
}

const digests = async () => (await listDigests(t.app, { limit: 100 })).rows.reverse();

it('seals every day that is over, also missed and empty ones, and not the one that runs', async () => {
  expect(await sealerOf(t)()).toBe(0);
  await trade(t);
  await moveBack(t, 4);
  await trade(t, 6);
  await moveBack(t, 2);
  await trade(t);
  const behind = await checkLedger(t.app, { ledgerOnly: true });
  expect(behind.proofs.filter(({ total }) => total > 0)).toMatchObject([
    { name: 'digests', findings: [{ problem: expect.stringContaining('has no digest') as string }] },
  ]);

  const closed = await closedSince(4);
  expect(await sealerOf(t)()).toBe(closed.length);
  expect(await sealerOf(t)()).toBe(0);
  const made = await digests();
  expect(made.map(({ day }) => day)).toEqual(closed);
  // a top-up is 4 entries, a hold 2, a charge 5
  expect(made.map(({ transactions, entries }) => [transactions, entries]).slice(0, 3)).toEqual([
    [8, 4 + 4 * 2 + 3 * 5],
    [0, 0],
    [12, 4 + 6 * 2 + 5 * 5],
  ]);
  for (const [at, digest] of made.entries()) {
    expect(digest.previousSha256).toBe(made[at - 1]?.digestSha256 ?? '0'.repeat(64));
    expect(digest.creditsUnits + digest.debitsUnits).toBe(0);
  }
  await expectWhole(t.app);
});

it('seals a day once, however many workers try', async () => {
  await trade(t);
  await moveBack(t, 5);
  const sealed = await Promise.all(Array.from({ length: 4 }, () => sealerOf(t)()));
  const rest = await sealerOf(t)();
  const days = await closedSince(5);
  expect(sealed.reduce((sum, count) => sum + count, rest)).toBe(days.length);
  expect((await digests()).map(({ day }) => day)).toEqual(days);
});

it('makes the same hash of a day in one piece and in parts', async () => {
  await trade(t, 9);
  const all = { fromId: 'txn_', untilId: 'txn_g' };
  const whole = await readFigures(t.app, all, 10_000);
  expect(whole).toMatchObject({ transactions: 18 });
  for (const atOnce of [1, 2, 7, 17, 18]) expect(await readFigures(t.app, all, atOnce)).toEqual(whole);
});

it('waits for transactions that may still write, and for none that began later', async () => {
  await trade(t);
  await moveBack(t, 3);
  const early = await beginHold(await aPair());
  expect(await sealerOf(t, { patienceMs: 300 })()).toBe(0);
  expect(await digests()).toEqual([]);

  const fence = await readFence(t.app);
  const late = await beginHold(await aPair());
  expect(await hasPassed(t.app, fence)).toBe(false);
  await early.query('COMMIT');
  await eventually(() => hasPassed(t.app, fence), 60_000, 20);
  for (const client of [early, late]) await client.end();
  expect(await sealerOf(t)()).toBe((await closedSince(3)).length);
});

const aPair = async () => ({
  buyer: await addUser(t, 'buyer', 5_000),
  developer: await addUser(t, 'developer'),
});
type Pair = Awaited<ReturnType<typeof aPair>>;

/** A database transaction that has moved money and stays open. */
async function beginHold({ buyer, developer }: Pair, client?: Client): Promise<Client> {
  const used = client ?? new Client({ connectionString: t.database.appUrl });
  if (!client) await used.connect();
  await used.query('BEGIN');
  await hold(used, [holdRequest(buyer, developer, 1)]);
  return used;
}

/**
 * Midnights at any moment: writers whose transactions stay open for a while, and borders that are drawn between them as
 * midnight is. Rows below a border that were read after its fence had passed never change.
 */
it('never seals a range that still gets entries', async () => {
  const pairs = await Promise.all(Array.from({ length: 6 }, aPair));
  let isOver = false;
  const write = async (pair: Pair, n: number) => {
    let client: Client | undefined;
    for (let turn = 0; !isOver; turn += 1) {
      client = await beginHold(pair, client);
      await client.query('SELECT pg_sleep($1)', [((turn * 7 + n * 3) % 5) * 0.03]);
      await client.query(turn % 6 === 5 ? 'ROLLBACK' : 'COMMIT');
    }
    await client?.end();
  };
  const writers = pairs.map(write);

  const ranges: { fromId: string; untilId: string }[] = [];
  const sealed: unknown[] = [];
  let tooEarly = 0;
  for (let fromId = 'txn_'; ranges.length < 12;) {
    const fence = await readFence(t.app);
    const range = { fromId, untilId: await idAt(fence) };
    const atOnce = await readFigures(t.app, range, 1_000);
    await eventually(() => hasPassed(t.app, fence), 60_000, 5);
    const figures = await readFigures(t.app, range, 1_000);
    if (figures.entriesSha256 !== atOnce.entriesSha256) tooEarly += 1;
    ranges.push(range);
    sealed.push(figures);
    fromId = range.untilId;
    await realTime(20, 'writers begin and commit meanwhile');
  }
  isOver = true;
  await Promise.all(writers);
  const inTheEnd = [];
  for (const range of ranges) inTheEnd.push(await readFigures(t.app, range, 1_000));
  expect(inTheEnd).toEqual(sealed);
  // without the wait it would have been wrong: the writers were there
  expect(tooEarly).toBeGreaterThan(0);
});

async function idAt({ at }: Fence): Promise<string> {
  const { rows } = await t.app.query<{ id: string }>(
    `SELECT 'txn_' || lpad(to_hex(floor(extract(epoch FROM $1::timestamptz) * 1000)::bigint), 12, '0')
       || repeat('0', 20) AS id`,
    [at],
  );
  return rows[0]?.id ?? '';
}

it('accepts rows from the service only, one day after the other, and refuses changes', async () => {
  await topUp(t.app, await addUser(t, 'buyer'), 500);
  await moveBack(t, 3);
  await sealerOf(t)();
  const [first] = await digests();
  expect(await readNextDay(t.app)).toBeUndefined();
  const insert = (day: string, previous: string) =>
    t.app.query(
      `INSERT INTO ledger_digests (day, transactions, entries, debits_units, credits_units, entries_sha256,
         previous_sha256, digest_sha256, kid, seal) VALUES ($1, 0, 0, 0, 0, $2, $2, $3, $4, 'x')`,
      [day, previous, 'a'.repeat(64), first?.kid],
    );
  await expect(insert('2031-01-01', first?.digestSha256 ?? '')).rejects.toThrow('not the next one to seal');
  await expect(insert(first?.day ?? '', '0'.repeat(64))).rejects.toThrow('not the next one to seal');
  await asIntruder(t, (client) =>
    client.query(`DELETE FROM ledger_digests WHERE day > $1::date`, [first?.day]),
  );
  const second = (await readNextDay(t.app)) ?? '';
  await expect(insert(second, '0'.repeat(64))).rejects.toThrow('does not continue the chain');
  await expect(insert(second, first?.digestSha256 ?? '')).rejects.toThrow('is not of its terms');
  for (const sql of ['UPDATE ledger_digests SET entries = 1', 'DELETE FROM ledger_digests']) {
    await expect(t.app.query(sql)).rejects.toThrow('permission denied');
    await expect(t.owner.query(sql)).rejects.toThrow('is refused');
  }
  await sealerOf(t)();
  const report = await checkLedger(t.app, { ledgerOnly: true, cipher });
  expect(report.proofs.filter(({ total }) => total > 0)).toEqual([]);
});

describe('the market log', () => {
  const publisherOf = (atOnce = 10_000) =>
    createMarketLog({
      pool: t.app,
      keys: signingKeysOf(t),
      cipher,
      logger: createLogger('test', 'silent'),
      atOnce,
    });
  const reads = () => createMarketLogReads({ pool: t.app, cipher });
  const statements = async () =>
    (await listDays(t.app, { limit: 100 })).rows.reverse().map(({ statement, statementSha256 }) => ({
      ...(JSON.parse(statement) as LiabilityStatement),
      sha256: statementSha256,
    }));

  /** Balances at the end of a day by kind, from all entries up to it. */
  async function owedAt(day: string): Promise<Record<string, number>> {
    const { rows } = await t.owner.query<{ kind: string; units: string }>(
      `SELECT a.kind, coalesce(sum(e.amount_units), 0) AS units FROM accounts a
         LEFT JOIN entries e ON e.account_id = a.account_id AND e.transaction_id < digest_first_id($1::date + 1)
        GROUP BY a.kind`,
      [day],
    );
    return Object.fromEntries(rows.map(({ kind, units }) => [kind, Number(units)]));
  }

  /** The owners whose proofs lead to the published roots, and the sums of their leaves by kind. */
  async function proveAll() {
    const { rows } = await t.owner.query<{ user_id: string }>('SELECT user_id FROM users');
    const sums: Record<string, number> = {};
    for (const { user_id: owner } of rows) {
      const { day: row, balances } = await reads().proofOf(owner);
      const { day, owed } = JSON.parse(row.statement) as LiabilityStatement;
      for (const { kind, units, blind, path } of balances) {
        const root = rootOfPath({ units, hash: leafHash({ day, kind, owner, units, blind }) }, path);
        expect(root).toEqual({ units: owed[kind].units, hash: owed[kind].root_sha256 });
        sums[kind] = (sums[kind] ?? 0) + units;
      }
    }
    return sums;
  }

  it('says what each day owed, also of missed days, with a path for each balance', async () => {
    expect(await publisherOf()()).toBe(0);
    await expect(reads().proofOf('usr_none')).rejects.toMatchObject({ code: 'not_found' });
    await trade(t, 5);
    await moveBack(t, 4);
    await t.ledger.rollUp();
    await sealerOf(t)();
    const last = (await closedSince(4)).at(-1) ?? '';
    expect(await publisherOf(1)()).toBe(1);
    expect(await publisherOf()()).toBe(0);

    const [first] = await statements();
    const owed = await owedAt(last);
    expect(first).toMatchObject({ day: last, previous_sha256: '0'.repeat(64) });
    for (const kind of LIABILITY_KINDS) expect(first?.owed[kind].units).toBe(owed[kind]);
    for (const [kind, units] of Object.entries(first?.service ?? {})) expect(units).toBe(owed[kind]);
    expect(first?.ledger_sha256).toBe((await digests()).at(-1)?.digestSha256);
    const sums = await proveAll();
    expect([sums['wallet'], sums['escrow'], sums['payable'], sums['bond'] ?? 0]).toEqual(
      ['wallet', 'escrow', 'payable', 'bond'].map((kind) => owed[kind]),
    );
    expect(sums['wallet']).toBeGreaterThan(0);
    await expectWhole(t.app);
  });

  it('continues a day that was made in part, once, however many workers try', async () => {
    await trade(t);
    await moveBack(t, 5);
    await sealerOf(t)();
    await asIntruder(t, (client) =>
      client.query(`DELETE FROM ledger_digests WHERE day > (SELECT min(day) + 1 FROM ledger_digests)`),
    );
    expect(await publisherOf()()).toBe(1);
    await trade(t, 6);
    await moveBack(t, 3);
    await sealerOf(t)();
    const before = await statements();
    // A part of the next day is read, and the published one is still proven.
    const { rows } = await t.app.query<{ day: string; untilId: string }>(
      `SELECT to_char($1::date + 1, 'YYYY-MM-DD') AS day, digest_first_id($1::date + 2) AS "untilId"`,
      [before[0]?.day],
    );
    const { readTo = '' } = (await readWork(t.app)) ?? {};
    const next = { day: '', untilId: '', ...rows[0], readTo, nextBucket: 0, isPublished: false };
    await readEntries(t.app, next, 3);
    expect((await readWork(t.app))?.readTo).not.toBe(readTo);
    expect((await proveAll())['wallet']).toBe(before[0]?.owed.wallet.units);

    const made = await Promise.all(Array.from({ length: 4 }, () => publisherOf(2)()));
    const rest = await publisherOf(2)();
    const all = await statements();
    expect(all.map(({ day }) => day)).toEqual((await digests()).slice(1).map(({ day }) => day));
    expect(made.reduce((sum, days) => sum + days, rest)).toBe(all.length - 1);
    for (const [at, { previous_sha256 }] of all.entries())
      expect(previous_sha256).toBe(all[at - 1]?.sha256 ?? '0'.repeat(64));
    for (const { day, owed } of all) expect(owed.wallet.units).toBe((await owedAt(day))['wallet']);
    await proveAll();
    const kept = await t.owner.query(
      `SELECT (SELECT count(*)::int FROM market_log_secrets) AS secrets,
              (SELECT count(DISTINCT day)::int FROM market_log_nodes) AS days`,
    );
    expect(kept.rows).toEqual([{ secrets: 1, days: 1 }]);
    await expectWhole(t.app);
  });

  it('is refused changes, is checked against the entries, and reads a bucket by primary keys', async () => {
    await trade(t);
    await moveBack(t, 3);
    await sealerOf(t)();
    await publisherOf()();
    await expect(t.app.query('DELETE FROM market_log_days')).rejects.toThrow('permission denied');
    await expect(t.owner.query('DELETE FROM market_log_days')).rejects.toThrow('is refused');
    await t.owner.query('UPDATE market_log_balances SET units = units + 1 WHERE account_id = 4');
    const report = await checkLedger(t.app, { ledgerOnly: true });
    expect(report.proofs.filter(({ total }) => total > 0)).toMatchObject([
      { name: 'market log', findings: [{ subject: 'account 4 (fees)' }] },
    ]);
    const client = await t.owner.connect();
    await client.query('SET enable_seqscan = off');
    const bound = BUCKET.replaceAll('$3', "'2026-01-01'").replace('$1', '0').replace('$2', '10240');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${bound}`);
    client.release();
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/market_log_balances_pkey/);
    expect(plan).not.toMatch(/Seq Scan/);
  });
});
