/** The history of a first `npm start`: thirty days by the functions of the service, and a clock that only it sees. */
import { Client } from 'pg';
import { type History, startHistory } from '../../../src/runtime/demonstration/history/history';
import { HABITS } from '../../../src/runtime/demonstration/history/call-plan';
import { HISTORY_OWNER } from '../../../src/runtime/demonstration/history/past-calls';
import { createLedgerDigests } from '../../../src/services/ledger/ledger-digests';
import { lockDigests } from '../../../src/stores/ledger/ledger-digests';
import { eventually, expectWholeLedger, putLive, register } from '../../support/market';
import { superuserUrl } from '../../support/stack/stack';
import { testStack } from '../../support/stack/database';
import { useMarket } from '../../support/use-market';

const DAY_MS = 86_400_000;
const BONDS = { developer: 10_000, studio: 2_500 };
/** Enough that a Monday pays, and few enough to be quick. */
const SHARE = 0.4;
/** The day decides which calls are planned, and so which of them are disputed and slashed. */
const NOW_MS = Date.UTC(2026, 8, 23, 12);
/** Free calls of each buyer and month. */
const FREE_CALLS = 10;

const market = useMarket({ operations: false });

const superuser = () => superuserUrl(testStack().postgresPort, market.database.name);

const begin = () =>
  startHistory(superuser(), {
    config: market.config,
    databaseUrl: market.database.appUrl,
    share: SHARE,
    nowMs: NOW_MS,
  });

async function read<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await market.owner.query<Row>(sql, values)).rows;
}

async function people() {
  const idOf = async (role: 'buyer' | 'developer') => (await register(market, role)).userId;
  return {
    buyer: await idOf('buyer'),
    team: await idOf('buyer'),
    operator: await idOf('buyer'),
    developer: await idOf('developer'),
    studio: await idOf('developer'),
  };
}

/** Writes the whole history. Returns what it says to the terminal. */
async function write(): Promise<string> {
  const ids = await people();
  const history = await begin();
  if (!history) throw new Error('something has happened in this marketplace');
  await history.open(ids, BONDS);
  for (const { slug, seller } of HABITS)
    await putLive(market, ids[seller], 'https://127.77.0.9:9443', {
      agentId: slug,
      credits: 40,
      ...(slug === 'unit-converter' && { freeTierCalls: FREE_CALLS }),
    });
  await market.container.payoutAccounts.setMethod(ids.developer, 'ach', {
    account_holder_name: 'Demo Developer',
    routing_number: '021000021',
    account_number: '123456789',
    account_type: 'checking',
  });
  // The start is interrupted here, and the worker of the next one seals the days before today.
  await history.close();
  expect(await sealed()).toBeGreaterThan(0);
  const next = await beginWhileSealing();
  await next.open(ids, BONDS);
  const written = await next.fill(ids);
  await next.close();
  return written;
}

/** Seals the days that have ended, as the worker does. Returns how many. */
const sealed = () => {
  const { pool, signingKeys: keys, logger } = market.container;
  return createLedgerDigests({ pool, keys, logger })();
};

/** Begins again while a worker seals a day. */
async function beginWhileSealing(): Promise<History> {
  const looker = new Client({ connectionString: superuser() });
  await looker.connect();
  await market.owner.query('BEGIN');
  expect(await lockDigests(market.owner)).toBe(true);
  const beginning = begin();
  await eventually(async () => {
    const { rowCount } = await looker.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = 'postgres'
         AND state = 'idle in transaction' AND query LIKE '%pg_try_advisory_xact_lock%'`,
    );
    return rowCount === 1;
  });
  await market.owner.query('ROLLBACK');
  await looker.end();
  const history = await beginning;
  if (!history) throw new Error('the interrupted start is not continued');
  return history;
}

it('writes thirty days that the ledger check accepts, and gives the clock back', async () => {
  const written = await write();

  const [calls] = await read<{ days: number; failed: number; owners: string[] }>(
    `SELECT count(DISTINCT (invoked_at AT TIME ZONE 'UTC')::date)::int AS days,
       count(*) FILTER (WHERE status = 'failed')::int AS failed, array_agg(DISTINCT owner) AS owners FROM invocations`,
  );
  expect(calls?.days).toBeGreaterThanOrEqual(30);
  expect(calls?.failed).toBeGreaterThan(0);
  expect(calls?.owners).toEqual([HISTORY_OWNER]);
  const disputes = await read<{ status: string }>('SELECT DISTINCT status FROM disputes ORDER BY 1');
  expect(disputes.map(({ status }) => status)).toEqual(['accepted', 'contested', 'lost', 'open', 'won']);
  expect(await read('SELECT status FROM slashes')).toEqual([{ status: 'final' }]);
  const payouts = await read<{ status: string }>('SELECT DISTINCT status FROM payouts ORDER BY 1');
  expect(payouts.map(({ status }) => status)).toEqual(['paid', 'rolled_over']);

  expect(written).toMatch(/^\d{3,} calls of 30 days \(disputes: 7, slashes: 1, payouts: [1-9]\d*\)/);
  const [counted] = await read<{ free: number; paid: number; tallied: number }>(
    `SELECT count(*) FILTER (WHERE free)::int AS free, count(*) FILTER (WHERE NOT free)::int AS paid,
       (SELECT sum(succeeded + refused + failed)::int FROM buyer_days) AS tallied FROM invocations`,
  );
  expect(counted?.free).toBeGreaterThan(0);
  expect(counted?.tallied).toBe(counted?.paid);

  // What the functions and the defaults of tables wrote is of its time, as the ids are.
  const [times] = await read<{ late: number; apart: number }>(
    `SELECT count(*) FILTER (WHERE created_at > now() - interval '1 minute')::int AS late,
       count(*) FILTER (WHERE abs(extract(epoch FROM created_at) * 1000 -
         ('x' || substr(transaction_id, 5, 12))::bit(48)::bigint) > 2)::int AS apart FROM transactions
     WHERE reference NOT LIKE 'topup/%'`,
  );
  expect(times).toEqual({ late: 0, apart: 0 });
  const [clock] = await read<{ now: Date; clock: Date; id: string }>(
    'SELECT now(), clock_timestamp() AS clock, uuidv7()::text AS id',
  );
  const madeAt = Number.parseInt(clock?.id.replaceAll('-', '').slice(0, 12) ?? '', 16);
  for (const ms of [clock?.now.getTime() ?? 0, clock?.clock.getTime() ?? 0, madeAt])
    expect(Math.abs(ms - Date.now())).toBeLessThan(DAY_MS / 24);
  expect(await begin()).toBeUndefined();
  await expectWholeLedger(market);
});
