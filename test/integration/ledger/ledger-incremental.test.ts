import type { Client } from 'pg';
import { checkLedger, formatReport } from '../../../src/services/ledger/ledger-check';
import type { DbPool } from '../../../src/stores/db';
import { moveBack, sealerOf, trade, tryAsIntruder } from '../../support/ledger/digests';
import { lowestIdAt } from '../../../src/kit/ids/ids';
import {
  addUser,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';

/** An incremental check reads what came after the last proven day, from the balances at its end. */
let t: TestLedger;

/** The ledger has sealed top-ups of five and three days ago, and calls of today. */
beforeAll(async () => {
  t = await startLedger();
  const buyer = await addUser(t, 'buyer', 100);
  await moveBack(t, 5);
  await topUp(t.app, buyer, 5_000);
  await moveBack(t, 3);
  await sealerOf(t)();
  await trade(t);
});
afterAll(async () => {
  await expectWhole(t.app);
  await t.stop();
});

const incremental = (pool: DbPool = t.app, prove = false) =>
  checkLedger(pool, { ledgerOnly: true, incremental: true, prove });
const brokenIn = async (check: ReturnType<typeof checkLedger>) =>
  (await check).proofs.filter(({ total }) => total > 0).map(({ name }) => name);
/** Sealed days and the entries before their end, against what is kept of them. */
const wrongOpenings = async () =>
  (
    await t.owner.query<{
      account_id: string;
    }>(`SELECT account_id FROM (SELECT account_id, sum(amount_units) AS units, count(*) AS entries FROM entries
        WHERE transaction_id < partition_bound('txn', (SELECT max(day) + 1 FROM ledger_proven_days)) GROUP BY 1) e
      FULL JOIN account_openings o USING (account_id) WHERE (o.units, o.entries) IS DISTINCT FROM (e.units, e.entries)`)
  ).rows;

it('reads all of the ledger while no day is proven, and leaves no trace unless it is to', async () => {
  expect(await incremental()).toMatchObject({ ok: true, since: null, leftToFull: [] });
  const { rows } = await t.app.query('SELECT * FROM ledger_proven_days');
  expect(rows).toEqual([]);
});

it('reads what came after the proven day, and moves the balances along when all holds', async () => {
  await t.app.query(`SELECT ledger_prove((now() AT TIME ZONE 'UTC')::date - 5, true)`);
  expect(await wrongOpenings()).toEqual([]);
  const report = await incremental(t.app, true);
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  expect(report).toMatchObject({ ok: true, since: day(4) });
  expect(report.leftToFull).toContain('payable');
  expect(formatReport(report)).toMatch(/Read from \d{4}-\d\d-\d\d on; .* Left to --full: /);
  expect(await wrongOpenings()).toEqual([]);
  expect(await incremental()).toMatchObject({ ok: true, since: day(0) });
});

it('finds what is wrong after the proven day, and leaves what lies before it to the full check', async () => {
  const forged = (sql: string) =>
    tryAsIntruder(t, async (client) => {
      await client.query(sql);
      const pool = insideOf(client);
      return [await brokenIn(incremental(pool)), await brokenIn(checkLedger(pool, { ledgerOnly: true }))];
    });
  const [late, lateFull] = await forged(
    `UPDATE entries SET amount_units = amount_units + 1 WHERE entry_type = 'invocation_earning'`,
  );
  expect(late).toEqual(['transactions', 'balances', 'calls']);
  expect(lateFull).toEqual(late);
  const [early, earlyFull] = await forged(
    `UPDATE transactions SET description = 'x' WHERE transaction_id = (SELECT min(transaction_id) FROM transactions)`,
  );
  expect(early).toEqual([]);
  expect(earlyFull).toEqual(['digests']);
  const [balance] = await forged(`UPDATE account_openings SET units = units + 1 WHERE account_id = 1`);
  expect(balance).toEqual(['balances']);
});

it('reports since when money is in transit', async () => {
  const report = await incremental();
  expect(report.waiting).toEqual([
    { subject: 'account 2 (topup_clearing)', count: 1, units: 0, since: null, reason: null },
    { subject: 'account 3 (payout_clearing)', count: 1, units: 0, since: null, reason: null },
  ]);
  const since = new Date(Date.now() - 76 * 3_600_000);
  const waiting = [{ subject: 'payouts pending', count: 3, units: 12_345, since, reason: null }];
  expect(formatReport({ ...report, waiting })).toMatch(
    /wait {2}payouts pending: 3 over 123\.45 credits, since \d{4}-.*Z \(3 d 4 h\)/,
  );
});

it('reads the calls that began days before, as jobs that have ended since or run', async () => {
  const [buyer, developer] = [await addUser(t, 'buyer', 100), await addUser(t, 'developer')];
  const made = lowestIdAt('inv', Date.now() - 6 * 86_400_000);
  const old = (n: number) => `${made.slice(0, -1)}${n}`;
  for (const n of [1, 2]) {
    await t.ledger.hold([holdRequest(buyer, developer, 10, old(n))]);
    await t.owner.query(
      `INSERT INTO jobs (invocation_id, buyer_user_id, agent_id, took_ms, ends_at, is_budgeted, heartbeat_ms)
       VALUES ($1, $2, 'agt_csv_profiler_v1', 1, now(), false, 1)`,
      [old(n), buyer],
    );
  }
  await t.ledger.capture([{ invocationId: old(1), grossUnits: 1_000, maturesAt: new Date() }]);
  await t.owner.query('UPDATE jobs SET ended_at = now() WHERE invocation_id = $1', [old(1)]);
  expect(await incremental()).toMatchObject({ ok: true });
  const brokenBy = (sql: string) =>
    tryAsIntruder(t, async (client) => {
      await client.query(sql);
      return brokenIn(incremental(insideOf(client)));
    });
  expect(await brokenBy(`DELETE FROM earnings WHERE invocation_id = '${old(1)}'`)).toContain('lots');
  expect(await brokenBy(`UPDATE holds SET amount_units = 0 WHERE invocation_id = '${old(2)}'`)).toContain(
    'calls',
  );
});

/** A pool whose one connection is in a transaction already, and stays in it. */
function insideOf(client: Client): DbPool {
  const query = (text: string, values?: unknown[]) =>
    /^(BEGIN|COMMIT)/.test(text) ? Promise.resolve({ rows: [] }) : client.query(text, values);
  const inside = { query, release: () => undefined };
  return {
    ...inside,
    connect: () => Promise.resolve(inside),
    end: () => Promise.resolve(),
  } as unknown as DbPool;
}
