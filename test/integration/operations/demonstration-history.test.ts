/** The history of a first `npm start`: thirty days by the functions of the service, and a clock that only it sees. */
import { startHistory } from '../../../src/runtime/demonstration/history/history';
import { HABITS, isOfStudio } from '../../../src/runtime/demonstration/history/call-plan';
import { HISTORY_OWNER } from '../../../src/runtime/demonstration/history/past-calls';
import { expectWholeLedger, putLive, register } from '../../support/market';
import { superuserUrl } from '../../support/stack/stack';
import { testStack } from '../../support/stack/database';
import { useMarket } from '../../support/use-market';

const DAY_MS = 86_400_000;
const BONDS = { developer: 10_000, studio: 2_500 };
/** Enough that a Monday pays, and few enough to be quick. */
const SHARE = 0.4;

const market = useMarket({ operations: false });

const begin = () =>
  startHistory(superuserUrl(testStack().postgresPort, market.database.name), {
    config: market.config,
    databaseUrl: market.database.appUrl,
    share: SHARE,
  });

async function read<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await market.owner.query<Row>(sql, values)).rows;
}

async function people() {
  const [buyer, team, operator, developer, studio] = [
    await register(market, 'buyer'),
    await register(market, 'buyer'),
    await register(market, 'buyer'),
    await register(market, 'developer'),
    await register(market, 'developer'),
  ];
  const users = { buyer, team, operator, developer, studio };
  const ids = Object.entries(users).map(([name, { userId }]) => [name, userId] as const);
  return { ids: Object.fromEntries(ids) as Record<keyof typeof users, string>, developer };
}

it('writes thirty days that the ledger check accepts, and gives the clock back', async () => {
  const { ids, developer } = await people();
  const history = await begin();
  await history?.open(ids, BONDS);
  for (const { slug } of HABITS) {
    const seller = isOfStudio(slug) ? ids.studio : ids.developer;
    await putLive(market, seller, 'https://127.77.0.9:9443', { agentId: slug, credits: 40 });
  }
  await market.container.payoutAccounts.setMethod(ids.developer, 'ach', {
    account_holder_name: 'Demo Developer',
    routing_number: '021000021',
    account_number: '123456789',
    account_type: 'checking',
  });
  await history?.fill(ids);
  await history?.close();

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
  expect(developer.userId).toBe(ids.developer);
  await expectWholeLedger(market);
});
