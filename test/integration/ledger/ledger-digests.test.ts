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
import { hold } from '../../../src/stores/ledger/ledger-moves';
import { asIntruder, cipher, moveBack, sealerOf, trade } from '../../support/ledger/digests';
import {
  addUser,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';
import { eventually, realTime } from '../../support/waits';

/** A day is sealed once, in order, after every transaction of the day has ended, and also late. */
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
