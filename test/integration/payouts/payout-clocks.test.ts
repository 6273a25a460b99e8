/**
 * Weeks, maturity, tax years and the Schedule, where clocks are changed, years are longer or end on a Monday: in UTC,
 * and therefore the same for every time zone of Postgres and the worker.
 */
import { Client, Connection } from '@temporalio/client';
import type { Pool } from 'pg';
import { mondayOf } from '../../../src/domain/payouts/payout';
import { PAYOUT_METHODS } from '../../../src/domain/payouts/rails';
import { ensurePayoutSchedule, payoutScheduleId } from '../../../src/engine/payouts';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { newId } from '../../../src/kit/ids/ids';
import { createPayoutAccounts } from '../../../src/services/payouts/payout-accounts';
import { OWN_METHOD } from '../../../src/services/payouts/payout-destinations';
import { fileIdOf } from '../../../src/services/payouts/payout-runs';
import { reservePayout } from '../../../src/stores/payouts/payouts';
import { addUser, expectWhole, startLedger, type TestLedger } from '../../support/ledger/ledger';
import { DETAILS, earn } from '../../support/payouts/payouts';
import { sharedTemporal } from '../../support/stack/temporal';
import { testPool } from '../../support/stack/pool';

const WEEK_MS = 7 * 86_400_000;
const ZONES = ['UTC', 'America/New_York', 'Pacific/Auckland'];
const MONDAYS = [
  ['after summer time began in Europe', '2027-03-29'],
  ['after summer time began in America', '2027-03-15'],
  ['after summer time ended in America', '2026-11-02'],
  ['in the 53rd week of a year', '2026-12-28'],
  ['that is the last day of a year', '2029-12-31'],
  ['that is the first day of a year', '2029-01-01'],
  ['that is a leap day', '2044-02-29'],
  ['after a leap day', '2028-03-06'],
] as const;

let t: TestLedger;
let buyer: string;
const pools = new Map<string, Pool>();
const cipher = createCipher(parseMasterKeys('dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk='));

beforeAll(async () => {
  t = await startLedger();
  buyer = await addUser(t, 'buyer', 9_000_000);
  for (const zone of ZONES) {
    const connectionString = t.database.appUrl;
    pools.set(zone, testPool(connectionString, { max: 1, options: `-c TimeZone=${zone}` }));
  }
});
afterAll(async () => {
  await Promise.all([...pools.values()].map((pool) => pool.end()));
  await t.stop();
});
afterEach(() => expectWhole(t.app));

async function developerIn(zone: string) {
  const pool = pools.get(zone);
  if (!pool) throw new Error(zone);
  const shown = await pool.query<{ TimeZone: string }>('SHOW TimeZone');
  expect(shown.rows[0]?.TimeZone).toBe(zone);
  const developer = await addUser(t, 'developer');
  await createPayoutAccounts({ pool: t.app, cipher, rails: PAYOUT_METHODS }).setMethod(
    developer,
    'ach',
    DETAILS.ach,
  );
  const reserve = (asOf: Date) =>
    reservePayout(pool, {
      destination: OWN_METHOD,
      developerUserId: developer,
      asOf,
      attempt: 0,
      taxFreeUnits: 6_000_000,
      rails: ['ach'],
      chunkLots: 2_000,
      traceId: newId('usr'),
    });
  return { names: { buyer, developer }, reserve };
}

describe.each(ZONES)('with a database in %s', (zone) => {
  it.each(MONDAYS)('a Monday %s takes what has matured by its first instant', async (_which, date) => {
    const monday = new Date(`${date}T00:00:00.000Z`);
    const next = new Date(monday.getTime() + WEEK_MS);
    const { names, reserve } = await developerIn(zone);
    await earn(t, names, [2_000], monday);
    await earn(t, names, [3_000], new Date(monday.getTime() + 1));
    await earn(t, names, [4_000], new Date(next.getTime() + 1));
    const payouts = [await reserve(monday), await reserve(next)];
    expect(payouts).toMatchObject([
      { asOf: monday, periodStart: new Date(monday.getTime() - WEEK_MS), lotsUnits: 194_000 },
      { asOf: next, periodStart: monday, lotsUnits: 291_000 },
    ]);
    expect(mondayOf(monday.getTime())).toBe(monday.getTime());
    expect(mondayOf(monday.getTime() - 1)).toBe(monday.getTime() - WEEK_MS);
    expect(fileIdOf({ method: 'ach', asOf: monday.toISOString(), attempt: 0 })).toBe(
      `ach-${date.replaceAll('-', '')}-0`,
    );
  });

  it('counts a payout to the year of its Monday in UTC, January 1 too', async () => {
    const { names, reserve } = await developerIn(zone);
    const statusOf = async (date: string) => {
      const monday = new Date(`${date}T00:00:00.000Z`);
      await earn(t, names, [40_000], monday);
      const payout = await reserve(monday);
      return [payout?.status, payout?.reason];
    };
    expect(await statusOf('2028-12-18')).toEqual(['pending', null]);
    expect(await statusOf('2029-01-01')).toEqual(['pending', null]);
    expect(await statusOf('2029-12-31')).toEqual(['rolled_over', 'tax_form_required']);
  });
});

it('starts at every Monday 00:00 UTC of eight years, and at no other time', async () => {
  const { address, namespace, taskQueuePrefix: prefix } = sharedTemporal();
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  await ensurePayoutSchedule(client, { prefix, taskQueue: `${prefix}operations` });
  const scheduleId = payoutScheduleId(prefix);
  const [start, end] = [Date.UTC(2026, 0, 1), Date.UTC(2034, 0, 1)];
  const seconds = (ms: number) => ({ seconds: (ms / 1_000) as unknown as never });
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    namespace,
    scheduleId,
    startTime: seconds(start),
    endTime: seconds(end),
  });
  await client.schedule.getHandle(scheduleId).delete();
  await connection.close();
  const times = (startTime ?? []).map((at) => Number(at.seconds) * 1_000 + (at.nanos ?? 0) / 1e6);
  const mondays: number[] = [];
  for (let at = mondayOf(start) + WEEK_MS; at < end; at += WEEK_MS) mondays.push(at);
  expect(times).toEqual(mondays);
  expect(new Set(times.map((at) => new Date(at).toISOString().slice(10)))).toEqual(
    new Set(['T00:00:00.000Z']),
  );
  expect(times.map((at) => new Date(at).getUTCDay()).every((day) => day === 1)).toBe(true);
});
